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

/** Draws `root` anew; the control that had the keyboard has it afterwards too. */
export function keepingFocus(root: HTMLElement, redraw: () => void): void {
  const active = root.contains(document.activeElement) ? (document.activeElement as Control) : null;
  redraw();
  if (!active || active.isConnected) return;
  const alike = (one: Control) =>
    one.tagName === active.tagName &&
    (active.id ? one.id === active.id : one.value === active.value && one.textContent === active.textContent);
  [...root.querySelectorAll<Control>("button, input, select")].find(alike)?.focus({ preventScroll: true });
}

/** New contents; the control that had the keyboard has it afterwards too. */
export function refill(container: HTMLElement, ...children: Node[]): void {
  keepingFocus(container, () => container.replaceChildren(...children));
}

/** What a canvas is drawn with. */
export function penOf(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
  const pen = canvas.getContext("2d");
  if (!pen) throw new Error("this browser cannot draw on a canvas");
  return pen;
}
