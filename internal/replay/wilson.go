package replay

import (
	"math"
)

// MinSamples is the number of samples below which no percentage is shown: it would suggest
// more than is known.
const MinSamples = 20

// Interval is a range of a share, from 0 to 1.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Wilson is the 95 % interval of k among n by Wilson's method; nil below
// MinSamples.
func Wilson(k, n int) *Interval {
	if n < MinSamples {
		return nil
	}
	const z = 1.959963984540054
	p, nf := float64(k)/float64(n), float64(n)
	centre := p + z*z/(2*nf)
	spread := z * math.Sqrt(p*(1-p)/nf+z*z/(4*nf*nf))
	scale := 1 + z*z/nf
	round := func(x float64) float64 { return math.Round(x*1e4) / 1e4 }
	return &Interval{round(max(0, (centre-spread)/scale)), round(min(1, (centre+spread)/scale))}
}
