// The studio's signs: one grid of 24, one stroke, so that they look like one hand drew them.

const SPACE = "http://www.w3.org/2000/svg";

const LINES = {
  undo: "M9 14L4 9l5-5M4 9h10a6 6 0 0 1 0 12h-3",
  redo: "M15 14l5-5-5-5M20 9H10a6 6 0 0 0 0 12h3",
  help: "M9.200 9a3 3 0 1 1 4.300 2.700c-1 .500-1.500 1.200-1.500 2.300M12 17.500v.1M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18z",
  sun: "M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.500 1.500M17.500 17.500L19 19M5 19l1.500-1.500M17.500 6.500L19 5",
  moon: "M20 14.500A8.500 8.500 0 0 1 9.500 4 8.500 8.500 0 1 0 20 14.500z",
  side: "M3 5h18v14H3zM12 5v14",
  over: "M4 4h11v11H4zM9 9h11v11H9z",
  single: "M4 5h16v14H4z",
  front: "M12 8a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5zM12 8v7M7 10.500h10M12 15l-3 6M12 15l3 6",
  profile: "M11 8a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5zM11 8v7M11 10.500l5 2.500M11 15l-2 6M11 15l3 6M13.500 5.500h1.500",
  back: "M12 8a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5zM12 8v7M7 10.500h10M12 15l-3 6M12 15l3 6M10.500 4.500h3",
  top: "M12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM4 12h5M15 12h5M4 9v6M20 9v6",
  frame: "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5M12 14a2 2 0 1 0 0-4 2 2 0 0 0 0 4z",
  follow: "M12 3v4M12 17v4M3 12h4M17 12h4M12 17a5 5 0 1 0 0-10 5 5 0 0 0 0 10z",
  onion: "M9 18a6 6 0 1 0 0-12 6 6 0 0 0 0 12zM13 6.200a6 6 0 1 1 0 11.600M17 7.500a5.500 5.500 0 0 1 0 9",
  ghosts: "M5 20V9a3.500 3.500 0 0 1 7 0v11l-1.750-1.500L8.500 20l-1.750-1.500zM15 19V7a3 3 0 0 1 5 2v10",
  arcs: "M3 17C7 5 16 4 21 13M4.500 12l2.200 1M9 6.800l1.300 2.200M15.200 6l-.8 2.500M19 9.200l-1.800 1.800",
  down: "M7 10l5 5 5-5",
  still: "M4 8h3l2-3h6l2 3h3v11H4zM12 16.500a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7z",
  film: "M3 7h12v10H3zM15 11l6-3.500v9L15 13z",
  picture: "M3 5h18v14H3zM3 16l5-5 4 4 3-3 6 5M15.500 9.500v.1",
  sheet: "M5 3h14v18H5zM5 8h14M10 8v13M14.500 8v13",
  loop: "M17 3l3 3-3 3M4 11V9a3 3 0 0 1 3-3h13M7 21l-3-3 3-3M20 13v2a3 3 0 0 1-3 3H4",
  bounce: "M7 8L3 12l4 4M17 8l4 4-4 4M3 12h18",
  plus: "M12 5v14M5 12h14",
  minus: "M5 12h14",
  pin: "M9 4h6l-1 6 3 3v2H7v-2l3-3zM12 15v6",
  copy: "M8 8h12v12H8zM16 8V4H4v12h4",
  paste: "M7 5H5v16h14V5h-2M8 3h8v4H8zM12 11v6M9.500 14.500L12 17l2.500-2.500",
  lock: "M6 11h12v9H6zM8.500 11V8a3.500 3.500 0 0 1 7 0v3",
  mute: "M4 9.500h3.500L12 6v12l-4.500-3.500H4zM16 9.500l5 5M21 9.500l-5 5",
  sound: "M4 9.500h3.500L12 6v12l-4.500-3.500H4zM15.500 9a4 4 0 0 1 0 6M18 6.500a8 8 0 0 1 0 11",
  eye: "M2.500 12S6 5.500 12 5.500 21.500 12 21.500 12 18 18.500 12 18.500 2.500 12 2.500 12zM12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6z",
  blind:
    "M4 4l16 16M9.500 6A9 9 0 0 1 12 5.500c6 0 9.500 6.500 9.500 6.500a17 17 0 0 1-2.800 3.500M6.500 7.500A17 17 0 0 0 2.500 12S6 18.500 12 18.500a9 9 0 0 0 4-1",
  in: "M5 4v16M9 12h11M16 8l-7 4 7 4",
  out: "M19 4v16M15 12H4M8 8l7 4-7 4",
  mirror: "M12 3v18M9 7L3 17h6zM15 7l6 10h-6z",
  zoomIn: "M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM16 16l5 5M11 8v6M8 11h6",
  zoomOut: "M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM16 16l5 5M8 11h6",
  bin: "M5 7h14M9 7V4h6v3M7 7l1 13h8l1-13M10.500 10.500v6M13.500 10.500v6",
} as const;

const FILLED = {
  play: "M7 4v16l13-8z",
  pause: "M7 5h3.500v14H7zM13.500 5H17v14h-3.500z",
  previous: "M19 5v14L9 12zM5 5h2.500v14H5z",
  next: "M5 5v14l10-7zM16.500 5H19v14h-2.500z",
} as const;

export type Icon = keyof typeof LINES | keyof typeof FILLED;

export function glyph(name: Icon): SVGSVGElement {
  const filled = name in FILLED;
  const svg = document.createElementNS(SPACE, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  if (filled) svg.setAttribute("class", "filled");
  const line = document.createElementNS(SPACE, "path");
  line.setAttribute("d", filled ? FILLED[name as keyof typeof FILLED] : LINES[name as keyof typeof LINES]);
  svg.append(line);
  return svg;
}
