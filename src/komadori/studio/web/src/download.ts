// Files that the page gives to the browser.

import { h } from "./dom";

export function download(name: string, data: ArrayBuffer): void {
  const address = URL.createObjectURL(new Blob([data]));
  const link = h("a", { href: address, download: name, class: "hidden" });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
