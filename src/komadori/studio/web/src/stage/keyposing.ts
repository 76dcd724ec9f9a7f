// Key poses redrawn by hand: joints of the result are dragged, and only the frames that show this key change.

import * as THREE from "three";
import { type Ask, HAND_KIND, type HandInput, type PoseArrays } from "../generated";
import { pause } from "../player";
import { gestureOf } from "../shot";
import { on, ownSheet, shotOf, state } from "../state";
import { Dots } from "./dots";
import type { Stage } from "./stage";

const NEAR_PX = 14;
const CLICK_PX = 4;

interface Drag {
  pointer: number;
  joint: number;
  number: number;
  plane: THREE.Plane;
  offset: THREE.Vector3;
  from: [number, number];
  frame: number;
  moved: boolean;
}

/** The clip's frame whose pose is shown, in key poses; -1 elsewhere, and while the body is shown on every frame. */
export function shownKey(): number {
  if (state.part !== "keyposes" || !state.answers.keyposes || shotOf().muted.includes("body")) return -1;
  const source = ownSheet();
  return source[Math.min(state.frame, source.length - 1)] ?? -1;
}

export class KeyPoseStage {
  private readonly dots: Dots;
  private drag: Drag | null = null;
  private hover = -1;
  private drags = 0;
  private serial = 0;
  private applied = 0;
  private readonly ray = new THREE.Raycaster();

  constructor(
    private readonly stage: Stage,
    private readonly send: (input: HandInput) => void,
    private readonly ask: (message: Ask) => void,
  ) {
    this.dots = new Dots(stage);
    stage.besideResult.add(this.dots.group);
    const { element } = stage;
    element.addEventListener("pointerdown", (event) => this.down(event), true);
    element.addEventListener("pointermove", (event) => this.moved(event), true);
    for (const kind of ["pointerup", "pointercancel"] as const) element.addEventListener(kind, (event) => this.up(event), true);
    on(["body", "part", "playing", "answer", "view", "clip", "scene"], () => this.renew());
    on(["frame", "part", "clip"], () => this.letGo());
    stage.posed(() => this.dots.follow());
  }

  /** An edit of the key that is shown. */
  edit(edit: "mirror" | "reset"): void {
    const frame = shownKey();
    if (frame >= 0) this.ask({ type: "key-pose", part: "keyposes", edit, frame, gesture: gestureOf(edit) });
  }

  brought({ serial, rotations, positions }: PoseArrays): void {
    if (serial < this.applied || shownKey() < 0 || positions.shape[0] !== state.body?.joints.length) return;
    this.applied = serial;
    this.stage.live = { rotations: rotations.data, positions: positions.data };
    this.stage.draw();
  }

  private get shown(): boolean {
    return shownKey() >= 0 && !state.playing;
  }

  private renew(): void {
    const { body } = state;
    this.dots.group.visible = this.shown && body !== null;
    if (body) this.dots.draw(body.grabs, body.height, { shown: this.shown, near: this.hover, chosen: this.drag?.joint ?? -1 });
    this.stage.draw();
  }

  /** What was in hand is in the scene by now, or another frame is shown. */
  private letGo(): void {
    if (state.part !== "keyposes" || this.drag || !this.stage.live) return;
    this.stage.live = null;
    this.stage.draw();
  }

  private at(event: PointerEvent): { joint: number; place: THREE.Vector3 } | null {
    if (!this.shown) return null;
    const found = this.dots.taken.map(({ joint, dot }) => {
      const [x, y] = this.stage.seenAt(dot.position);
      return { joint, place: dot.position.clone(), far: Math.hypot(x - event.clientX, y - event.clientY) };
    });
    found.sort((a, b) => a.far - b.far);
    const [nearest] = found;
    return nearest && nearest.far <= NEAR_PX ? nearest : null;
  }

  private down(event: PointerEvent): void {
    if (event.button !== 0 || event.target !== this.stage.canvas) return;
    const found = this.at(event);
    if (!found) return;
    event.stopPropagation();
    event.preventDefault();
    this.stage.canvas.focus();
    pause();
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(this.stage.camera.getWorldDirection(new THREE.Vector3()), found.place);
    const hit = this.hit(event, plane) ?? found.place;
    this.stage.canvas.setPointerCapture(event.pointerId);
    this.drag = {
      pointer: event.pointerId,
      joint: found.joint,
      number: ++this.drags,
      plane,
      offset: found.place.clone().sub(hit),
      from: [event.clientX, event.clientY],
      frame: shownKey(),
      moved: false,
    };
    this.renew();
  }

  private moved(event: PointerEvent): void {
    const { drag } = this;
    if (!drag) {
      this.look(event);
      return;
    }
    if (event.pointerId !== drag.pointer) return;
    event.stopPropagation();
    if (!drag.moved && Math.hypot(event.clientX - drag.from[0], event.clientY - drag.from[1]) < CLICK_PX) return;
    drag.moved = true;
    const hit = this.hit(event, drag.plane);
    if (!hit) return;
    const [x, y, z] = hit.add(drag.offset).toArray();
    this.serial += 1;
    this.send({ kind: HAND_KIND.key, serial: this.serial, which: drag.joint, x, y, z, seconds: drag.number, frame: drag.frame });
  }

  private up(event: PointerEvent): void {
    const { drag } = this;
    if (!drag || event.pointerId !== drag.pointer) return;
    event.stopPropagation();
    this.drag = null;
    // What the hand drew last is laid into the scene before anything else that is asked.
    if (drag.moved) this.ask({ type: "key-pose", part: "keyposes", edit: "keep", frame: drag.frame, gesture: gestureOf("keep") });
    this.renew();
  }

  private look(event: PointerEvent): void {
    if (state.part !== "keyposes" || event.buttons) return;
    const near = this.at(event)?.joint ?? -1;
    if (near === this.hover) return;
    this.hover = near;
    this.stage.canvas.style.cursor = near >= 0 ? "grab" : "default";
    this.renew();
  }

  private hit(event: PointerEvent, plane: THREE.Plane): THREE.Vector3 | null {
    const at = this.stage.pointed(event);
    if (!at) return null;
    this.ray.setFromCamera(at, this.stage.camera);
    return this.ray.ray.intersectPlane(plane, new THREE.Vector3());
  }
}
