/**
 * The configuration of our own tmux server. The user's `~/.tmux.conf` is never read: the server is started with `-f`.
 * Every line may be applied again to a running server (an older Offdeck may have started it), so nothing appends.
 * `-q` marks options that tmux 3.2 does not have.
 */
export const TMUX_CONF = `# Written by Offdeck at every start; changes here are lost.
set -s  exit-empty off
set -s  escape-time 0
set -s  focus-events on
# Copying is decided by the host, which sees the raw request.
set -s  set-clipboard off
set -s  default-terminal "tmux-256color"
# For people who attach with plain tmux.
set -s  terminal-features[90] "xterm-256color:RGB:usstyle:clipboard:hyperlinks"
set -g  history-limit 10000
set -g  status off
set -g  prefix None
set -g  prefix2 None
set -g  mouse off
set -g  set-titles off
set -g  destroy-unattached off
set -g  detach-on-destroy on
set -g  default-size 120x32
# Never "manual" here: it crashes the server at the next new window (tmux/tmux#4849).
set -g  window-size latest
set -wg aggressive-resize off
# The last screen and the exit code of a program that ended stay until we close the window.
set -wg remain-on-exit on
set -wgq remain-on-exit-format ""
set -wg allow-rename off
set -wg automatic-rename off
set -wgq allow-passthrough on
set -g  bell-action none
# -q: a table that was emptied is gone, and emptying it again would be an error.
unbind-key -aq -T root
unbind-key -aq -T prefix
`;
