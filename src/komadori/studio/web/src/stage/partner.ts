// The partner: a second body on the result's side, driven by the first and in step with it.

import * as THREE from "three";
import { unpackedAs } from "../binary";
import { bytes } from "../connection";
import type { Ask, FollowArrays, PartnerInfo } from "../generated";
import { on, state, trouble } from "../state";
import { Actor, Clip } from "./actor";

export class Partner {
  actor: Actor | null = null;
  told: PartnerInfo | null = null;
  private clip: Clip | null = null;
  private figure = "";
  private loading = 0;
  /** What a live answer last said: joints and their rotations. */
  private live: { joints: Int32Array; rotations: Float32Array } | null = null;
  private serial = 0;
  private waiting = false;
  private wanted = false;
  private ask: (message: Ask) => void = () => undefined;

  constructor(
    private readonly scene: THREE.Scene,
    private readonly draw: () => void,
  ) {
    on(["answer", "body"], () => void this.renew());
    on(["frame", "answer", "view", "part"], () => this.follow());
  }

  asking(ask: (message: Ask) => void): void {
    this.ask = ask;
  }

  /** Whether it stands on the stage in place of the result. */
  get active(): boolean {
    return state.part === "translate" && this.actor !== null && this.clip !== null && state.translate !== null;
  }

  pose(frame: number): void {
    const { actor, clip } = this;
    if (!this.active || !actor || !clip) return;
    actor.show(clip, frame);
    if (state.live && this.live) {
      const { joints, rotations } = this.live;
      for (const [n, joint] of joints.entries()) actor.bones[joint]?.quaternion.fromArray(rotations, 4 * n);
    }
  }

  /** In one picture with the person it stands beside, as the camera sees it; on its own side it stays where it is. */
  aside(camera: THREE.Camera | null): void {
    if (!this.actor) return;
    this.actor.root.position.set(0, 0, 0);
    if (!camera) return;
    const right = new THREE.Vector3().setFromMatrixColumn(camera.matrixWorld, 0).setY(0).normalize();
    this.actor.root.position.copy(right).multiplyScalar(0.55 * (this.told?.size ?? 1));
  }

  visible(yes: boolean): void {
    if (this.actor) this.actor.root.visible = yes && this.active;
  }

  /** The driven joints at the frame that was asked for. */
  brought({ serial, joints, rotations }: FollowArrays): void {
    if (serial !== this.serial) return;
    this.waiting = false;
    this.live = { joints: joints.data, rotations: rotations.data };
    if (this.wanted) this.follow();
    this.draw();
  }

  /** Asks for the present frame's answer; while one is on its way the newest waits, and those between are dropped. */
  private follow(): void {
    if (!state.live || !this.active) {
      this.live = null;
      return;
    }
    this.wanted = this.waiting;
    if (this.waiting) return;
    this.waiting = true;
    this.ask({ type: "follow", frame: state.frame, serial: ++this.serial });
  }

  private async renew(): Promise<void> {
    const told = state.translate?.partner ?? null;
    if (!told || told.motion === this.told?.motion) return;
    const turn = ++this.loading;
    try {
      const fresh = told.figure !== this.figure;
      const [glb, sent] = await Promise.all([fresh ? bytes(told.figure) : null, bytes(told.motion)]);
      const actor = glb ? await Actor.load(glb) : this.actor;
      if (turn !== this.loading) return glb ? actor?.dispose() : undefined;
      if (glb && actor) {
        this.actor?.dispose();
        this.actor = actor;
        actor.root.name = `partner ${told.name}`;
        this.scene.add(actor.shaded(told.height).root);
        this.figure = told.figure;
      }
      actor?.toRest();
      this.clip = new Clip(unpackedAs("motion", sent));
      this.told = told;
      this.live = null;
      this.waiting = false;
      this.follow();
      this.draw();
    } catch (error) {
      trouble((error as Error).message, "translate");
    }
  }
}

/** Where a body is: the mean of its bones over the ground, half its height up. */
export function middleOf(actor: Actor, height: number): THREE.Vector3 {
  const place = new THREE.Vector3();
  const middle = new THREE.Vector3();
  actor.root.updateMatrixWorld(true);
  for (const bone of actor.bones) middle.add(bone.getWorldPosition(place));
  middle.divideScalar(Math.max(actor.bones.length, 1));
  middle.y = 0.5 * height;
  return middle;
}
