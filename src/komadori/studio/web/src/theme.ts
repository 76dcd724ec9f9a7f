// Light and dark: what the system asks for, or what was chosen. Canvases and the stage read their colours from the style sheet.

import { keep, state, tell } from "./state";

export type Theme = "system" | "light" | "dark";

const ASKED = matchMedia("(prefers-color-scheme: dark)");
const known = new Map<string, string>();

function chosen(): Theme {
  const kept = localStorage.getItem("komadori.theme");
  return kept === "light" || kept === "dark" ? kept : "system";
}

export function isDark(): boolean {
  return state.theme === "dark" || (state.theme === "system" && ASKED.matches);
}

function apply(): void {
  document.documentElement.setAttribute("data-theme", isDark() ? "dark" : "light");
  known.clear();
  tell("theme");
}

/** The other theme of the two, which is kept from now on. */
export function switchTheme(): void {
  state.theme = isDark() ? "light" : "dark";
  keep("theme", state.theme);
  apply();
}

/** A colour of the style sheet by its name, as the present theme has it. */
export function colour(name: string): string {
  const found = known.get(name) ?? getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  known.set(name, found);
  return found;
}

state.theme = chosen();
ASKED.addEventListener("change", apply);
apply();
