package git // breaks: hidden

import "C"
