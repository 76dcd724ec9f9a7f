// Arcs: the trails of chosen joints, with a tick at every drawing. Ticks near each other are slow, apart fast: a timing chart in space.

import * as THREE from "three";
import { state } from "../state";
import { colour } from "../theme";
import { runsBetween } from "../timeline/exposures";
import type { Actor, Clip } from "./actor";
import { trackOf } from "./tracks";

/** Frames before and after the present one whose trail is drawn; a clip of no more than twice as many is drawn whole. */
export const AROUND = 120;
const COLOURS = ["#e4572e", "#2e86de", "#17a673", "#a15bd6", "#c9971c", "#d6478f"];

/** First frame and the one after the last of what is drawn around `frame`. */
export function trailOf(frame: number, count: number): [number, number] {
  if (count <= 2 * AROUND) return [0, count];
  // In steps, so that the trail is not made again for every frame.
  const middle = Math.round(frame / (AROUND / 4)) * (AROUND / 4);
  const first = Math.max(0, Math.min(count - 2 * AROUND, middle - AROUND));
  return [first, Math.min(count, first + 2 * AROUND)];
}

export class Arcs {
  readonly group = new THREE.Group();
  private made = "";

  constructor() {
    this.group.name = "arcs";
  }

  /** Draws the trails of the chosen joints; nothing is made again while nothing has changed. `clip` is followed along `shown`. */
  follow(actor: Actor | null, clip: Clip | null, shown: number[], frame: number, key: string): void {
    const body = state.body;
    const joints = body ? state.arcJoints.map((role) => body.roles[role]).filter((joint) => joint !== undefined) : [];
    this.group.visible = state.arcs && Boolean(actor && clip && body && joints.length);
    if (!this.group.visible || !actor || !clip || !body) return;
    const [first, last] = trailOf(frame, shown.length);
    const now = [key, first, last, joints.join(), colour("stage")].join(" ");
    if (now !== this.made) {
      this.made = now;
      this.clear();
      const above = actor.bones[0]?.parent;
      above?.updateWorldMatrix(true, false);
      for (const [n, joint] of joints.entries()) {
        const places = (frames: number[]) => {
          const buffer = new THREE.BufferAttribute(trackOf(clip, body.parents, actor.offsets, joint, frames), 3);
          return above ? buffer.applyMatrix4(above.matrixWorld) : buffer;
        };
        this.add(COLOURS[n % COLOURS.length] ?? "", shown, first, last, places, body.height);
      }
    }
  }

  private add(
    tone: string,
    shown: number[],
    first: number,
    last: number,
    places: (frames: number[]) => THREE.BufferAttribute,
    height: number,
  ): void {
    const from = shown[first] ?? 0;
    const to = shown[last - 1] ?? from;
    const every = Array.from({ length: Math.max(0, to - from + 1) }, (_, n) => from + n);
    const line = new THREE.BufferGeometry().setAttribute("position", places(every));
    const trail = new THREE.Line(line, new THREE.LineBasicMaterial({ color: tone, transparent: true, opacity: 0.8, depthTest: false }));
    const drawings = [...runsBetween(shown, first, last)].map(({ start }) => shown[start] ?? 0);
    const dots = new THREE.BufferGeometry().setAttribute("position", places(drawings));
    const ticks = new THREE.Points(
      dots,
      new THREE.PointsMaterial({ color: tone, size: 0.022 * height, sizeAttenuation: true, depthTest: false, transparent: true }),
    );
    const rims = new THREE.Points(
      dots,
      new THREE.PointsMaterial({ color: colour("stage"), size: 0.03 * height, sizeAttenuation: true, depthTest: false, transparent: true }),
    );
    trail.name = "arc";
    ticks.name = "ticks";
    for (const [order, one] of [trail, rims, ticks].entries()) {
      one.renderOrder = 3 + order;
      one.frustumCulled = false;
      this.group.add(one);
    }
  }

  private clear(): void {
    for (const one of [...this.group.children]) {
      this.group.remove(one);
      if (one instanceof THREE.Line || one instanceof THREE.Points) {
        one.geometry.dispose();
        (one.material as THREE.Material).dispose();
      }
    }
  }
}
