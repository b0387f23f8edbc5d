/** Draws lines with SGR sequences, as `tmux capture-pane -e` gives them, as SVG. */
export function screenToSvg(screen: string, options: { columns: number; title: string }): string;
