// Small pictures of poses, taken by the stage itself, one before each of its own pictures.

import * as THREE from "three";
import { h } from "../dom";
import type { PosedBody } from "../generated";
import { on, state } from "../state";
import { posed } from "./actor";
import type { Stage } from "./stage";

const WIDTH = 52;
const HEIGHT = 72;
const RATIO = 2;
/** Pictures that are kept. */
const MOST = 400;

export class PosePictures {
  private readonly pictures = new Map<number | PosedBody, HTMLCanvasElement>();
  /** Tells one picture from another: as elements they are alike. */
  private count = 0;
  private wanted: (number | PosedBody)[] = [];
  private readonly camera = new THREE.PerspectiveCamera(30, WIDTH / HEIGHT, 0.01, 500);

  constructor(
    private readonly stage: Stage,
    active: () => boolean,
  ) {
    stage.each(() => active() && this.take());
    on(["body"], () => {
      this.pictures.clear();
      this.wanted = [];
    });
  }

  /** The picture of a pose, or of the clip's at a frame: empty at first, drawn as soon as the stage comes to it. */
  of(what: number | PosedBody): HTMLCanvasElement {
    let picture = this.pictures.get(what);
    if (!picture) {
      picture = h("canvas", {
        width: RATIO * WIDTH,
        height: RATIO * HEIGHT,
        class: "pose",
        "aria-hidden": "true",
        "data-pose": ++this.count,
      });
      this.pictures.set(what, picture);
      this.wanted.push(what);
      // Poses that are redrawn again and again leave pictures behind.
      const [oldest] = this.pictures.keys();
      if (this.pictures.size > MOST && oldest !== undefined) this.pictures.delete(oldest);
    }
    return picture;
  }

  /** Takes the next picture; the stage then draws itself over it. */
  private take(): boolean {
    const { result: actor, clip, renderer, scene } = this.stage;
    const body = state.body;
    const hips = actor?.bones[body?.roles.hips ?? 0];
    const [what] = this.wanted;
    if (what === undefined || !hips || !actor || !clip || !body || actor.bones.length !== body.joints.length || clip.frames !== body.frames)
      return false;
    this.wanted.shift();
    const pen = this.pictures.get(what)?.getContext("2d");
    if (!pen) return false;
    if (typeof what === "number") actor.show(clip, what);
    else if (what.rotations.length === 4 * actor.bones.length) actor.put(posed(what));
    else return false;
    this.stage.alone();
    this.look(hips, body.height);
    const canvas = renderer.domElement;
    const ratio = renderer.getPixelRatio();
    renderer.setViewport(0, 0, (WIDTH * RATIO) / ratio, (HEIGHT * RATIO) / ratio);
    renderer.setScissor(0, 0, (WIDTH * RATIO) / ratio, (HEIGHT * RATIO) / ratio);
    renderer.render(scene, this.camera);
    pen.drawImage(canvas, 0, canvas.height - RATIO * HEIGHT, RATIO * WIDTH, RATIO * HEIGHT, 0, 0, RATIO * WIDTH, RATIO * HEIGHT);
    return true;
  }

  /** From where the stage looks, with the whole body in the picture. */
  private look(hips: THREE.Bone, height: number): void {
    const { camera, controls } = this.stage;
    hips.updateWorldMatrix(true, false);
    const middle = new THREE.Vector3().setFromMatrixPosition(hips.matrixWorld);
    // Many bodies have a root on the ground or short legs below a large head.
    middle.y = Math.max(middle.y, 0.5 * height);
    const away = camera.position.clone().sub(controls.target).normalize();
    this.camera.position.copy(middle).addScaledVector(away, (0.58 * height) / Math.tan(THREE.MathUtils.degToRad(15)));
    this.camera.lookAt(middle);
  }
}
