package config

type Project struct {
	LogDir     string `yaml:"log_dir" default:"gauntlet_logs"`
	MaxRetries *int   `yaml:"max_retries" default:"3"`
	Name       string `yaml:"name"`
}

// Here a setting may be asked whether it is set.
func (p Project) retries() int {
	if p.MaxRetries == nil {
		return 0
	}
	return *p.MaxRetries
}
