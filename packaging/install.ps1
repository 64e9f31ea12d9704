# Installs Gauntlet into %LOCALAPPDATA%\Programs\gauntlet (or $env:GAUNTLET_DIR), after comparing
# the archive with the release's checksums. $env:GAUNTLET_VERSION chooses a release.
#
#   irm https://github.com/gauntlet-gates/gauntlet/releases/latest/download/install.ps1 | iex
& {
    $ErrorActionPreference = 'Stop'
    $releases = 'https://github.com/gauntlet-gates/gauntlet/releases'
    $base = if ($env:GAUNTLET_VERSION) { "$releases/download/v$env:GAUNTLET_VERSION" } else { "$releases/latest/download" }
    $arch = if ($env:PROCESSOR_ARCHITECTURE -eq 'ARM64') { 'arm64' } else { 'amd64' }
    $dir = if ($env:GAUNTLET_DIR) { $env:GAUNTLET_DIR } else { Join-Path $env:LOCALAPPDATA 'Programs\gauntlet' }
    $tmp = Join-Path ([IO.Path]::GetTempPath()) ([IO.Path]::GetRandomFileName())
    New-Item -ItemType Directory $tmp | Out-Null
    try {
        Invoke-WebRequest -UseBasicParsing "$base/checksums.txt" -OutFile "$tmp\checksums.txt"
        $line = Get-Content "$tmp\checksums.txt" | Where-Object { $_ -match "  gauntlet_\S+_windows_$arch\.zip$" } | Select-Object -First 1
        if (-not $line) { throw "this release has no archive for windows $arch" }
        $sum, $archive = $line -split '\s+', 2
        Invoke-WebRequest -UseBasicParsing "$base/$archive" -OutFile "$tmp\$archive"
        if ((Get-FileHash "$tmp\$archive" -Algorithm SHA256).Hash -ne $sum) { throw "$archive is not the file that the release lists; nothing was installed" }
        Expand-Archive "$tmp\$archive" "$tmp\out"
        New-Item -ItemType Directory -Force $dir | Out-Null
        Get-ChildItem "$tmp\out" -Recurse -Filter 'gauntlet*.exe' | Copy-Item -Destination $dir -Force
    }
    finally { Remove-Item -Recurse -Force $tmp }
    $path = [Environment]::GetEnvironmentVariable('Path', 'User')
    if (($path -split ';') -notcontains $dir) { [Environment]::SetEnvironmentVariable('Path', "$path;$dir", 'User') }
    Write-Output "Installed gauntlet in $dir. Open a new terminal. Next, in your project: gauntlet init"
}
