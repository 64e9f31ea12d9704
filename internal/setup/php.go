package setup

func (d *directory) php() {
	if _, ok := d.is(PHP); !ok {
		return
	}
	if cfg := d.first("phpstan.neon", "phpstan.neon.dist", "phpstan.dist.neon"); cfg != "" {
		d.implied(PHP, Typecheck, "vendor/bin/phpstan analyse --no-progress", cfg)
	} else if cfg := d.first("psalm.xml", "psalm.xml.dist"); cfg != "" {
		d.implied(PHP, Typecheck, "vendor/bin/psalm --no-progress", cfg)
	}
	if cfg := d.first("phpcs.xml", "phpcs.xml.dist", ".phpcs.xml", ".phpcs.xml.dist"); cfg != "" {
		d.implied(PHP, Lint, "vendor/bin/phpcs", cfg)
	} else if cfg := d.first(".php-cs-fixer.dist.php", ".php-cs-fixer.php"); cfg != "" {
		d.implied(PHP, Format, "vendor/bin/php-cs-fixer fix --dry-run --diff", cfg)
	}
	if cfg := d.first("phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml"); cfg != "" {
		run := "vendor/bin/phpunit"
		if at(d.json(d.where("composer.json")), "require-dev", "pestphp/pest") != nil {
			run = "vendor/bin/pest"
		}
		d.implied(PHP, Test, run, cfg)
	}
}
