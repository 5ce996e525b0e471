# fish completion for svc
function __svc_complete
    set -l current (commandline -ct)
    svc complete -- "=$current" (commandline -opc)[2..-1] 2>/dev/null
end
complete -c svc -f -a '(__svc_complete)'
