// Numbers as people read them.

export function fileSize(count: number): string {
  return count < 1e6 ? `${(count / 1e3).toFixed(1)} kB` : `${(count / 1e6).toFixed(1)} MB`;
}

/** The clip behind the `#` of a shelf's key, without what a program put before it; empty if the key names no clip. */
export function clipName(key: string): string {
  const [, clip = ""] = key.split(/#(?=[^#]*$)/);
  return clip.split("|").pop() ?? "";
}

/** A clip as a list of motions shows it: "horse · walk", or the item's name alone. */
export function motionName(item: string, key: string): string {
  const clip = key.includes("#") ? key.split("#").pop() : "";
  return clip ? `${item} · ${clip}` : item;
}
