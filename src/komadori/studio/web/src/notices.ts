// What the page says of itself: troubles, which stay until they are closed, and short notices, which fade.

import { h } from "./dom";
import type { ErrorMessage, Said } from "./generated";
import { on, state, tell } from "./state";
import "./notices.css";
import { say, t } from "./words";

const FADES_MS = 6000;

export const troubles = h("div", { class: "troubles", role: "alert" });
export const notices = h("div", { class: "notices", role: "status" });
let told: Said | null = null;
let fading = 0;

/** Says something that asks nothing of the reader. */
export function notice(about: Said): void {
  told = about;
  clearTimeout(fading);
  fading = setTimeout(() => {
    told = null;
    draw();
  }, FADES_MS) as unknown as number;
  draw();
}

function draw(): void {
  notices.replaceChildren(...(told ? [h("p", {}, say(told))] : []));
}

function troubleText({ message, ja }: ErrorMessage): string {
  return (state.language === "ja" && ja) || message;
}

function drawTroubles(): void {
  const waiting = state.waiting ? ` · ${t("changes that wait")}: ${state.waiting}` : "";
  const lost = state.connected ? [] : [h("p", { class: "lost" }, `${t("connection lost, trying again")}${waiting}`)];
  const close = (trouble: ErrorMessage) => () => {
    state.troubles.splice(state.troubles.indexOf(trouble), 1);
    tell("trouble");
  };
  const listed = state.troubles
    .slice(-3)
    .map((trouble) => h("p", {}, troubleText(trouble), h("button", { "aria-label": t("Close"), click: close(trouble) }, "×")));
  troubles.replaceChildren(...lost, ...listed);
}

on(["trouble", "connection", "language"], drawTroubles);
on(["language"], draw);
