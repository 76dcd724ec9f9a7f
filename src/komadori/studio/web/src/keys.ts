// Keys that animators expect, in one table from which the help page is made too.

export interface Shortcut {
  keys: string[];
  shown: string;
  about: string;
  run: () => void;
}

/** Listens to `shortcuts`; `stage` has the keyboard whenever no control needs it. */
export function listen(shortcuts: Shortcut[], stage: HTMLElement): void {
  const back = () => stage.focus({ preventScroll: true });
  // A button that was clicked with the mouse does not keep the keyboard: the space bar plays, it does not press it again.
  addEventListener("click", (event) => {
    const button = (event.target as HTMLElement).closest("button");
    if (!event.detail || !button || document.querySelector("dialog[open]")) return;
    // The button may have been redrawn by its own click, and the new one has the keyboard then.
    if (document.activeElement === document.body || document.activeElement?.tagName === "BUTTON") back();
  });
  addEventListener("keydown", (event) => {
    const target = event.target as HTMLElement;
    const field = target.matches("input, select, textarea");
    if (event.key === "Escape" && field && !target.closest("dialog")) {
      back();
      return;
    }
    const typing = target instanceof HTMLInputElement && !["range", "checkbox"].includes(target.type);
    const command = event.ctrlKey || event.metaKey;
    if ((typing || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) && !command) return;
    // A dialog has the keyboard for itself; so has whatever is pressed by it.
    if (document.querySelector("dialog[open]")) return;
    if (target.matches("button, summary, input[type=checkbox]") && (event.key === " " || event.key === "Enter")) return;
    if (target instanceof HTMLInputElement && target.type === "range" && /^(Arrow|Home|End|Page)/.test(event.key)) return;
    const name = `${command ? "Ctrl+" : ""}${event.shiftKey && (command || event.key.startsWith("Arrow")) ? "Shift+" : ""}${event.key.length === 1 ? event.key.toLowerCase() : event.key}`;
    const pad = /^Numpad\d$/.test(event.code) ? event.code : "";
    // The number pad means the same with and without its lock.
    const found = shortcuts.find(({ keys }) => keys.includes(pad)) ?? shortcuts.find(({ keys }) => keys.includes(name));
    if (!found) return;
    event.preventDefault();
    found.run();
  });
}
