// Keys that animators expect, in one table from which the help page is made too.

export interface Shortcut {
  keys: string[];
  shown: string;
  about: string;
  run: () => void;
}

export function listen(shortcuts: Shortcut[]): void {
  addEventListener("keydown", (event) => {
    const target = event.target as HTMLElement;
    const typing = target instanceof HTMLInputElement && !["range", "checkbox"].includes(target.type);
    const command = event.ctrlKey || event.metaKey;
    if ((typing || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) && !command) return;
    // A dialog has the keyboard for itself; so has whatever is pressed by it.
    if (document.querySelector("dialog[open]")) return;
    if (target.matches("button, summary, input[type=checkbox]") && (event.key === " " || event.key === "Enter")) return;
    if (target instanceof HTMLInputElement && target.type === "range" && /^(Arrow|Home|End|Page)/.test(event.key)) return;
    const name = `${command ? "Ctrl+" : ""}${event.shiftKey && command ? "Shift+" : ""}${event.key.length === 1 ? event.key.toLowerCase() : event.key}`;
    const found = shortcuts.find((shortcut) => shortcut.keys.includes(name));
    if (!found) return;
    event.preventDefault();
    found.run();
  });
}
