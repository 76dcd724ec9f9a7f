// Dots on the joints of the result: what a hand can take. They go where the joints are before every picture.

import * as THREE from "three";
import type { Grab } from "../generated";
import type { Stage } from "./stage";

const CHOSEN = 0xf97316;
const JOINT = 0xffffff;
const HOVER = 0x60a5fa;
/** Fingers have dots once they are so many pixels away from the hand: before, they would cover it and each other. */
const APART_PX = 26;
/** A dot is never larger than this, in pixels: near a hand it would cover what it marks. */
const WIDEST_PX = 8;
const FINGER = /^(left|right)_(thumb|index|middle|ring|little)_/;

type Dot = THREE.Mesh<THREE.SphereGeometry, THREE.MeshBasicMaterial>;

export interface Mark {
  shown: boolean;
  /** The joints that the pointer is over, and that is chosen; -1 for none. */
  near: number;
  chosen: number;
}

export class Dots {
  readonly group = new THREE.Group();
  private readonly joints: Dot[] = [];
  private grabs: Grab[] = [];
  private sizes: number[] = [];
  private shown = false;

  constructor(private readonly stage: Stage) {}

  draw(grabs: Grab[], size: number, { shown, near, chosen }: Mark): void {
    this.grabs = grabs;
    this.shown = shown;
    while (this.joints.length < grabs.length) this.joints.push(this.made());
    this.joints.forEach((dot, n) => {
      const grab = grabs[n];
      dot.visible = Boolean(shown && grab && this.stage.result?.bones[grab.joint]);
      if (!dot.visible || !grab) return;
      dot.name = grab.role;
      const finger = FINGER.test(grab.role) ? 0.55 : 1;
      this.sizes[n] = finger * size * (grab.joint === near ? 0.014 : 0.0095);
      dot.material.color.set(grab.joint === chosen ? CHOSEN : grab.joint === near ? HOVER : JOINT);
    });
    this.follow();
  }

  /** Puts the dots where their joints are. */
  follow(): void {
    const { result, camera, canvas } = this.stage;
    if (!this.shown || !result) return;
    result.root.updateMatrixWorld(true);
    const spread = (0.5 * canvas.clientHeight) / Math.tan(THREE.MathUtils.degToRad(camera.fov / 2));
    const hands = new Map<string, [number, number]>();
    this.grabs.forEach(({ joint, role }, n) => {
      const bone = result.bones[joint];
      const dot = this.joints[n];
      if (!bone || !dot) return;
      dot.position.setFromMatrixPosition(bone.matrixWorld);
      const widest = (WIDEST_PX * dot.position.distanceTo(camera.position)) / spread;
      dot.scale.setScalar(Math.max(Math.min(this.sizes[n] ?? 0, widest), 1e-6));
      const seen = this.stage.seenAt(dot.position);
      if (role.endsWith("_hand")) hands.set(role, seen);
      const side = FINGER.exec(role)?.[1];
      if (!side) return;
      const hand = hands.get(`${side}_hand`);
      dot.visible = !hand || Math.hypot(hand[0] - seen[0], hand[1] - seen[1]) > APART_PX;
    });
  }

  /** What can be taken now. */
  get taken(): { joint: number; dot: Dot }[] {
    return this.grabs.flatMap(({ joint }, n) => {
      const dot = this.joints[n];
      return dot?.visible ? [{ joint, dot }] : [];
    });
  }

  private made(): Dot {
    const dot = new THREE.Mesh(
      new THREE.SphereGeometry(1, 16, 12),
      new THREE.MeshBasicMaterial({ transparent: true, depthTest: false, depthWrite: false, opacity: 0.9 }),
    );
    const rim = new THREE.Mesh(
      dot.geometry,
      new THREE.MeshBasicMaterial({ color: 0x2563eb, transparent: true, opacity: 0.8, depthTest: false, depthWrite: false }),
    );
    rim.scale.setScalar(1.35);
    rim.renderOrder = 8;
    dot.renderOrder = 9;
    dot.add(rim);
    this.group.add(dot);
    return dot;
  }
}
