// Whether the work is on disk: a small mark in the header.

import { h } from "./dom";
import { on, state } from "./state";
import { say, t } from "./words";

export const savedMark = h("output", { class: "saved", "aria-live": "off" });

/** Only what the server has said to be on disk is called saved. */
function mark(): string {
  const { told, saved, connected, unheard, waiting } = state;
  if (!connected) return waiting ? "changes wait" : told ? "not connected" : "";
  if (!told || !saved) return "";
  if (saved.problem) return "not saved";
  return saved.revision >= told.revision && !unheard && !waiting ? "saved" : "saving";
}

function draw(): void {
  const now = mark();
  savedMark.dataset.now = now;
  const { saved } = state;
  savedMark.title = saved?.problem ? say(saved.problem) : "";
  savedMark.textContent = now && t(now);
}

on(["scene", "connection", "language"], draw);
