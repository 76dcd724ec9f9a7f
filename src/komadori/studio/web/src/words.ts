// What the page says, in English or Japanese.

import { JAPANESE, type Said } from "./generated";
import { state } from "./state";

export function t(phrase: string): string {
  return state.language === "ja" ? (JAPANESE[phrase] ?? phrase) : phrase;
}

export function say(said: Said): string {
  return state.language === "ja" ? said.ja : said.en;
}
