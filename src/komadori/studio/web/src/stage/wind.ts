// The wind as an arrow: its foot at the head (or a tail's root), its tip a ball that is dragged parallel to the screen.

import * as THREE from "three";
import type { Ask } from "../generated";
import { state } from "../state";
import type { Stage } from "./stage";
import { placeOf } from "./strands";

const COLOUR = 0x0ea5e9;
const HELD = 0x0369a1;
/** Heights of the body that a wind of one metre a second is long. */
const LONG = 0.06;
const NEAR_PX = 18;
const UP = new THREE.Vector3(0, 1, 0);

/** Whether a joint is `head` or below it: a tail's wind is held at the tail. */
function hangsFrom(joint: number, head: number, parents: number[]): boolean {
  for (let one = joint; one >= 0; one = parents[one] ?? -1) if (one === head) return true;
  return false;
}

export class WindArrow {
  private readonly material = new THREE.MeshBasicMaterial({ color: COLOUR, depthTest: false, transparent: true, opacity: 0.85 });
  private readonly shaft = new THREE.Mesh(new THREE.CylinderGeometry(1, 1, 1, 12), this.material);
  private readonly point = new THREE.Mesh(new THREE.ConeGeometry(1, 1, 20), this.material);
  private readonly ball = new THREE.Mesh(new THREE.SphereGeometry(1, 24, 16), this.material);
  private readonly group = new THREE.Group();
  private readonly foot = new THREE.Vector3();
  private wind = new THREE.Vector3();
  private drag: { plane: THREE.Plane; off: THREE.Vector3; gesture: string } | null = null;

  constructor(
    private readonly stage: Stage,
    private readonly active: () => boolean,
    private readonly ask: (message: Ask) => void,
  ) {
    this.ball.name = "wind";
    this.group.add(this.shaft, this.point, this.ball);
    for (const mesh of [this.shaft, this.point, this.ball]) mesh.renderOrder = 6;
    stage.besideResult.add(this.group);
    stage.element.addEventListener("pointerdown", (event) => this.down(event), { capture: true });
    stage.element.addEventListener("pointermove", (event) => this.move(event));
    for (const kind of ["pointerup", "pointercancel"] as const) stage.element.addEventListener(kind, () => this.up());
  }

  /** Where the ball is on the page, in pixels. */
  get handle(): [number, number] {
    return this.stage.seenAt(this.tip());
  }

  /** Puts the arrow where the head is now. */
  follow(here: boolean): void {
    const actor = this.stage.result;
    const body = state.body;
    this.group.visible = here && this.active() && actor !== null && body !== null && state.hair !== null && state.hair.plane !== null;
    if (!this.group.visible || !actor || !body || !state.hair) return;
    const head = body.roles.head;
    const holder = state.hair.plane?.holder ?? -1;
    const onHead = head !== undefined && hangsFrom(holder, head, body.parents);
    this.foot.copy(placeOf(actor, onHead ? head : (state.hair.plane?.root ?? 0))).addScaledVector(UP, 0.13 * body.height);
    if (!this.drag) this.wind.fromArray(state.hair.wind);
    const away = this.wind.clone().multiplyScalar(this.scale());
    const long = away.length();
    const thick = 0.006 * body.height;
    const turn = new THREE.Quaternion().setFromUnitVectors(UP, long > 1e-9 ? away.clone().normalize() : UP);
    this.shaft.visible = this.point.visible = long > 1e-9;
    this.shaft.quaternion.copy(turn);
    this.shaft.position.copy(this.foot).addScaledVector(away, 0.5);
    this.shaft.scale.set(thick, long, thick);
    this.point.quaternion.copy(turn);
    this.point.scale.set(3.2 * thick, 8 * thick, 3.2 * thick);
    this.point.position.copy(this.tip()).addScaledVector(away.normalize(), 5.5 * thick);
    this.ball.position.copy(this.tip());
    this.ball.scale.setScalar(3 * thick);
  }

  private scale(): number {
    return LONG * (state.body?.height ?? 1);
  }

  private tip(): THREE.Vector3 {
    return this.foot.clone().addScaledVector(this.wind, this.scale());
  }

  private ray(event: PointerEvent): THREE.Ray | null {
    const at = this.stage.pointed(event);
    if (!at) return null;
    const caster = new THREE.Raycaster();
    caster.setFromCamera(at, this.stage.camera);
    return caster.ray;
  }

  private down(event: PointerEvent): void {
    if (!this.group.visible || event.button !== 0) return;
    const [x, y] = this.handle;
    const ray = this.ray(event);
    if (!ray || Math.hypot(event.clientX - x, event.clientY - y) > NEAR_PX) return;
    event.stopPropagation();
    const tip = this.tip();
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(this.stage.camera.getWorldDirection(new THREE.Vector3()), tip);
    const hit = ray.intersectPlane(plane, new THREE.Vector3());
    if (!hit) return;
    this.drag = { plane, off: tip.sub(hit), gesture: `wind ${performance.now()}` };
    this.material.color.setHex(HELD);
    this.stage.element.setPointerCapture(event.pointerId);
    this.stage.draw();
  }

  private move(event: PointerEvent): void {
    if (!this.drag) return;
    const hit = this.ray(event)?.intersectPlane(this.drag.plane, new THREE.Vector3());
    if (!hit) return;
    this.wind.copy(hit).add(this.drag.off).sub(this.foot).divideScalar(this.scale());
    this.ask({ type: "wind", wind: this.wind.toArray().map((value) => Math.round(100 * value) / 100), gesture: this.drag.gesture });
    this.stage.draw();
  }

  private up(): void {
    if (!this.drag) return;
    this.drag = null;
    this.material.color.setHex(COLOUR);
    this.stage.draw();
  }
}
