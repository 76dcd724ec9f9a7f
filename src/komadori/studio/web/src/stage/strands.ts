// Lines over the hair: the bones of every chain, and what was drawn of a strand beside what was fitted to it.

import * as THREE from "three";
import { LineMaterial } from "three/addons/lines/LineMaterial.js";
import { LineSegments2 } from "three/addons/lines/LineSegments2.js";
import { LineSegmentsGeometry } from "three/addons/lines/LineSegmentsGeometry.js";
import { at } from "../arrays";
import type { PlaneInfo } from "../generated";
import { state } from "../state";
import type { Actor } from "./actor";

const COLOURS = ["#2563eb", "#0d9488", "#7c3aed", "#ca8a04", "#db2777", "#0891b2", "#65a30d", "#ea580c", "#4f46e5", "#b91c1c"];
const DRAWN = "#f97316";
const FITTED = "#16a34a";
const OFF = "#a8a29e";

export function chainColour(number: number): string {
  return at(COLOURS, number % COLOURS.length);
}

/** A line of any width over everything else; its points are set before every picture. */
class Line {
  readonly object: LineSegments2;
  private readonly material: LineMaterial;
  private size = 0;

  constructor(colour: string, width: number, order: number, dashed = false) {
    this.material = new LineMaterial({
      color: colour,
      linewidth: width,
      depthTest: false,
      transparent: true,
      dashed,
      dashSize: 0.02,
      gapSize: 0.012,
    });
    this.object = new LineSegments2(new LineSegmentsGeometry(), this.material);
    this.object.frustumCulled = false;
    this.object.renderOrder = order;
  }

  look(colour: string, width: number, opacity: number): void {
    this.material.color.set(colour);
    this.material.linewidth = width;
    this.material.opacity = opacity;
  }

  set(points: THREE.Vector3[]): void {
    this.object.visible = points.length > 1;
    if (points.length < 2) return;
    if (points.length !== this.size) {
      this.object.geometry.dispose();
      this.object.geometry = new LineSegmentsGeometry();
      this.size = points.length;
    }
    const ends = points.slice(1).flatMap((point, n) => [...at(points, n).toArray(), ...point.toArray()]);
    this.object.geometry.setPositions(ends);
    if (this.material.dashed) this.object.computeLineDistances();
  }

  dispose(): void {
    this.object.removeFromParent();
    this.object.geometry.dispose();
    this.material.dispose();
  }
}

export class StrandLines {
  /** The chain that is pointed at in the list. */
  pointedAt = "";
  shown = true;
  private chains: Line[] = [];
  private readonly drawn = new Line(DRAWN, 4, 7);
  private readonly fitted = new Line(FITTED, 3, 8, true);

  constructor(private readonly group: THREE.Group) {
    group.add(this.drawn.object, this.fitted.object);
  }

  renew(): void {
    for (const line of this.chains) line.dispose();
    this.chains = (state.body?.chains ?? []).map((_, number) => new Line(chainColour(number), 2, 5));
    for (const line of this.chains) this.group.add(line.object);
  }

  /** Puts all lines where the bones of `actor` are now. */
  follow(actor: Actor, active: boolean): void {
    const body = state.body;
    const told = state.hair;
    const off = new Set(state.told?.scene.hair.off ?? []);
    actor.root.updateMatrixWorld(true);
    for (const [number, line] of this.chains.entries()) {
      const chain = body?.chains[number];
      const pointed = chain !== undefined && chain.name === this.pointedAt;
      if (!active || !chain || !(this.shown || pointed)) {
        line.set([]);
        continue;
      }
      const picked = told?.chain === chain.name;
      line.look(off.has(chain.name) ? OFF : chainColour(number), pointed ? 7 : picked ? 3.5 : 2, pointed || picked ? 1 : 0.75);
      line.set(chain.joints.map((joint) => placeOf(actor, joint)));
    }
    const strand = active ? told?.strands.find(({ frame }) => frame === state.frame) : undefined;
    const plane = told?.plane;
    this.drawn.set(strand && plane ? strand.drawn.map((point) => inWorld(actor, plane, point)) : []);
    this.fitted.set(strand && plane ? strand.fitted.map((point) => inWorld(actor, plane, point)) : []);
  }
}

export function placeOf(actor: Actor, joint: number): THREE.Vector3 {
  return new THREE.Vector3().setFromMatrixPosition(at(actor.bones, joint).matrixWorld);
}

/** A direction of the joint that a chain hangs from, in the world. */
export function turned(actor: Actor, plane: PlaneInfo, direction: number[]): THREE.Vector3 {
  const way = new THREE.Vector3().fromArray(direction);
  return plane.holder < 0 ? way : way.applyQuaternion(at(actor.bones, plane.holder).getWorldQuaternion(new THREE.Quaternion()));
}

function inWorld(actor: Actor, plane: PlaneInfo, point: number[]): THREE.Vector3 {
  return turned(actor, plane, point).add(placeOf(actor, plane.root));
}
