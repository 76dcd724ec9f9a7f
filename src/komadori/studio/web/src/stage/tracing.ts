// Drawing a strand over the picture: the hand's line becomes rays, which the server lays into the strand's plane.

import * as THREE from "three";
import { at } from "../arrays";
import type { Ask } from "../generated";
import { pause } from "../player";
import { state } from "../state";
import type { Stage } from "./stage";
import { placeOf, turned } from "./strands";

const STEP_PX = 4;
const SPACE = "http://www.w3.org/2000/svg";

export class Tracing {
  on = false;
  private readonly sketch = document.createElementNS(SPACE, "svg");
  private readonly line = document.createElementNS(SPACE, "polyline");
  private points: { x: number; y: number; ray: number[] }[] | null = null;

  constructor(
    private readonly stage: Stage,
    private readonly ask: (message: Ask) => void,
  ) {
    this.sketch.setAttribute("class", "sketch");
    this.sketch.setAttribute("aria-hidden", "true");
    this.sketch.append(this.line);
    stage.element.append(this.sketch);
    stage.element.addEventListener("pointerdown", (event) => this.down(event), { capture: true });
    stage.element.addEventListener("pointermove", (event) => this.move(event));
    stage.element.addEventListener("pointerup", () => this.up());
    stage.element.addEventListener("pointercancel", () => this.clear());
  }

  set(on: boolean): void {
    this.on = on;
    this.stage.element.classList.toggle("tracing", on);
    this.clear();
    if (on) pause();
  }

  /** Turns the camera so that the plane of the strand is seen from its side. */
  square(): void {
    const actor = this.stage.result;
    const plane = state.hair?.plane;
    const body = state.body;
    const chain = body?.chains.find(({ name }) => name === state.hair?.chain);
    if (!actor || !plane || !body || !chain) return;
    const along = turned(actor, plane, plane.along);
    const side = along
      .clone()
      .cross(turned(actor, plane, plane.up))
      .normalize();
    const { camera, controls } = this.stage;
    if (side.dot(camera.position.clone().sub(controls.target)) < 0) side.negate();
    const places = chain.joints.map((joint) => placeOf(actor, joint));
    const long = places.slice(1).reduce((sum, place, n) => sum + place.distanceTo(at(places, n)), 0);
    controls.target.copy(at(places, 0)).addScaledVector(along, 0.5 * long);
    const away = Math.max(2.2 * long, 0.5 * body.height) / Math.tan(THREE.MathUtils.degToRad(camera.fov / 2)) / 2;
    camera.position.copy(controls.target).addScaledVector(side, away);
    controls.update();
    this.stage.draw();
  }

  private down(event: PointerEvent): void {
    if (!this.on || event.button !== 0 || !this.stage.pointed(event)) return;
    event.stopPropagation();
    pause();
    this.stage.element.setPointerCapture(event.pointerId);
    this.points = [];
    this.add(event);
  }

  private move(event: PointerEvent): void {
    const last = this.points?.at(-1);
    if (last && Math.hypot(event.clientX - last.x, event.clientY - last.y) >= STEP_PX) this.add(event);
  }

  private add(event: PointerEvent): void {
    const at = this.stage.pointed(event);
    if (!at || !this.points) return;
    const caster = new THREE.Raycaster();
    caster.setFromCamera(at, this.stage.camera);
    const { origin, direction } = caster.ray;
    this.points.push({ x: event.clientX, y: event.clientY, ray: [...origin.toArray(), ...direction.toArray()] });
    const box = this.sketch.getBoundingClientRect();
    this.line.setAttribute("points", this.points.map(({ x, y }) => `${x - box.left},${y - box.top}`).join(" "));
  }

  private up(): void {
    const points = this.points;
    this.clear();
    if (!points || points.length < 3) return;
    const every = Math.ceil(points.length / 120);
    const rays = points.filter((_, n) => n % every === 0 || n === points.length - 1).map(({ ray }) => ray);
    this.ask({ type: "strand", frame: state.frame, rays });
  }

  private clear(): void {
    this.points = null;
    this.line.setAttribute("points", "");
  }
}
