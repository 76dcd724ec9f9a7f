// Elements, made in one call. Text only ever becomes text: nothing from a file can become markup.

type Attributes = Record<string, string | number | boolean | ((event: never) => void) | null | undefined>;

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: (Node | string | null)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value as EventListener);
    else if (name === "class") element.className = String(value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) if (child !== null) element.append(child);
  return element;
}

export function icon(path: string): SVGSVGElement {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const line = document.createElementNS(space, "path");
  line.setAttribute("d", path);
  svg.append(line);
  return svg;
}

type Control = HTMLButtonElement | HTMLInputElement | HTMLSelectElement;

/** Draws `root` again; the control that had the keyboard has it afterwards too. */
export function keepingFocus(root: HTMLElement, redraw: () => void): void {
  const active = root.contains(document.activeElement) ? (document.activeElement as Control) : null;
  redraw();
  if (!active || active.isConnected) return;
  const alike = (one: Control) =>
    one.tagName === active.tagName &&
    one.getAttribute("aria-label") === active.getAttribute("aria-label") &&
    (active.id ? one.id === active.id : one.value === active.value && one.textContent === active.textContent);
  [...root.querySelectorAll<Control>("button, input, select")].find(alike)?.focus({ preventScroll: true });
}

/** Where a pointer is down, and what waits until it is up. */
let pressed: Node | null = null;
const waiting = new Map<HTMLElement, () => void>();
addEventListener("pointerdown", ({ target }) => (pressed = target as Node), { capture: true });
for (const kind of ["pointerup", "pointercancel"])
  addEventListener(
    kind,
    () => {
      pressed = null;
      // The click comes after the pointer is up, and goes to what is still there.
      if (waiting.size) setTimeout(catchUp);
    },
    { capture: true },
  );

function catchUp(): void {
  const due = [...waiting];
  waiting.clear();
  for (const [root, redraw] of due) redrawn(root, redraw);
}

/** Draws `root` again, but never below a pointer that is pressing something in it: that click would go nowhere. */
export function redrawn(root: HTMLElement, redraw: () => void): void {
  if (pressed && root.contains(pressed)) waiting.set(root, redraw);
  else keepingFocus(root, redraw);
}

/** New contents. What would be the same stays: a button that is being pressed is still there when it is let go. */
export function refill(container: HTMLElement, ...children: (Node | string | null)[]): void {
  const fresh = children
    .filter((child) => child !== null && child !== "")
    .map((child) => (child instanceof Node ? child : new Text(child ?? "")));
  keepingFocus(container, () => {
    const old = [...container.childNodes];
    if (old.length !== fresh.length) container.replaceChildren(...fresh);
    else
      old.forEach((before, n) => {
        const after = fresh[n];
        if (!after || before === after) return;
        if (!before.isEqualNode(after)) before.replaceWith(after);
        else if (before instanceof HTMLSelectElement && after instanceof HTMLSelectElement) before.value = after.value;
      });
  });
}

/** What a canvas is drawn with. */
export function penOf(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
  const pen = canvas.getContext("2d");
  if (!pen) throw new Error("this browser cannot draw on a canvas");
  return pen;
}
