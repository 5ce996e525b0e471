# PowerShell completion for svc
Register-ArgumentCompleter -Native -CommandName svc, svc.cmd -ScriptBlock {
    param($current, $line, $cursor)
    # The application, and not svc.ps1, which an execution policy may forbid.
    $svc = Get-Command svc -CommandType Application | Select-Object -First 1
    $before = @($line.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.EndOffset -lt $cursor } |
        ForEach-Object { "$_".Trim('"', "'") })
    & $svc complete '--' "=$current" @before 2>$null | ForEach-Object {
        $value, $summary = $_ -split "`t", 2
        if (-not $summary) { $summary = $value }
        $text = if ($value -match "[\s']") { "'" + $value.Replace("'", "''") + "'" } else { $value }
        [System.Management.Automation.CompletionResult]::new($text, $value, 'ParameterValue', $summary)
    }
}
