// Ghosts: the drawings around the present one, all at once, as in a chronophotograph.

import * as THREE from "three";
import { state } from "../state";
import { colour } from "../theme";
import { runsBetween } from "../timeline/exposures";
import type { Actor, Clip } from "./actor";

/** Frames to either side whose drawings are shown, and how many drawings at most. */
const AROUND = 30;
const MOST = 10;

/** The source frames that are shown as ghosts around `frame`: at most `most`, evenly chosen, without the present drawing. */
export function ghostsAround(shown: number[], frame: number, around = AROUND, most = MOST): number[] {
  const all = [...runsBetween(shown, Math.max(0, frame - around), frame + around + 1)].map(({ start }) => shown[start] ?? 0);
  const others = [...new Set(all)].filter((drawing) => drawing !== shown[frame]);
  if (others.length <= most) return others;
  return Array.from({ length: most }, (_, n) => others[Math.round((n * (others.length - 1)) / (most - 1))] ?? 0);
}

export class Strobe {
  readonly group = new THREE.Group();
  private actors: Actor[] = [];

  follow(actor: Actor | null, clip: Clip | null, shown: number[], frame: number): void {
    this.group.visible = state.ghosts && actor !== null && clip !== null;
    if (!this.group.visible || !actor || !clip) return;
    const drawings = ghostsAround(shown, frame);
    while (this.actors.length < drawings.length) {
      const one = actor.ghost(colour("before"), 0.1);
      this.actors.push(one);
      this.group.add(one.root);
    }
    this.actors.forEach((one, n) => {
      const drawing = drawings[n];
      one.root.visible = drawing !== undefined;
      if (drawing !== undefined) one.show(clip, drawing);
    });
  }

  clear(): void {
    for (const one of this.actors) one.dispose();
    this.actors = [];
  }
}
