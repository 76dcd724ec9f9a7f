// Whether the work is on disk: a small mark in the header.

import { h } from "./dom";
import { on, state } from "./state";
import { say, t } from "./words";

export const savedMark = h("output", { class: "saved", "aria-live": "off" });

function draw(): void {
  const { told, saved } = state;
  const now = !told || !saved ? "" : saved.problem ? "not saved" : saved.revision >= told.revision ? "saved" : "saving";
  savedMark.dataset.now = now;
  savedMark.title = saved?.problem ? say(saved.problem) : "";
  savedMark.textContent = now && t(now);
}

on(["scene", "connection", "language"], draw);
