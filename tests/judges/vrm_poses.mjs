// Where three-vrm puts an avatar's humanoid bones. Arguments: avatar.vrm [motion.vrma or "own"] [seconds ...].
// Prints JSON: version ("0" or "1"), springs (how many joints swing), expressions, animations (names), warnings, and
// bones: [{name: [x, y, z]}], one for each time, in metres of the avatar's own file.
//
// To be fed to node on its standard input (node --input-type=module - ARGUMENTS), so that its modules are looked for in the
// working directory and not beside this file.

import { readFileSync } from "node:fs";
import * as THREE from "three";
import { GLTFLoader } from "three/examples/jsm/loaders/GLTFLoader.js";
import { VRMLoaderPlugin } from "@pixiv/three-vrm";
import { VRMAnimationLoaderPlugin, VRMLookAtQuaternionProxy, createVRMAnimationClip } from "@pixiv/three-vrm-animation";

globalThis.self ??= globalThis;

// Pictures need a browser; poses do not need pictures.
const noPictures = (parser) => {
  parser.loadTexture = async () => new THREE.Texture();
  parser.loadTextureImage = async () => new THREE.Texture();
  return { name: "no-pictures" };
};

const complaints = [];
console.warn = (...words) => complaints.push(words.join(" "));

async function load(path, plugin) {
  const loader = new GLTFLoader();
  loader.register(noPictures);
  loader.register(plugin);
  const bytes = readFileSync(path);
  return loader.parseAsync(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), "");
}

const [avatarPath, motionPath, ...times] = process.argv.slice(2);
const avatar = await load(avatarPath, (parser) => new VRMLoaderPlugin(parser));
const vrm = avatar.userData.vrm;
if (!vrm) throw new Error(`three-vrm finds no avatar in ${avatarPath}`);

const report = {
  version: vrm.meta.metaVersion,
  springs: vrm.springBoneManager?.joints.size ?? 0,
  expressions: vrm.expressionManager?.expressions.map((one) => one.expressionName) ?? [],
  animations: avatar.animations.map((clip) => clip.name),
};

function places() {
  vrm.scene.updateMatrixWorld(true);
  const found = {};
  for (const name of Object.keys(vrm.humanoid.humanBones)) {
    const node = vrm.humanoid.getRawBoneNode(name);
    if (node) found[name] = node.getWorldPosition(new THREE.Vector3()).toArray();
  }
  return found;
}

const mixer = new THREE.AnimationMixer(vrm.scene);
let clip = null;
if (motionPath === "own") {
  clip = avatar.animations[0];
} else if (motionPath) {
  const motion = await load(motionPath, (parser) => new VRMAnimationLoaderPlugin(parser));
  const [animation] = motion.userData.vrmAnimations ?? [];
  if (!animation) throw new Error(`three-vrm-animation finds no motion in ${motionPath}`);
  const proxy = new VRMLookAtQuaternionProxy(vrm.lookAt);
  proxy.name = "gaze";
  if (vrm.lookAt) vrm.scene.add(proxy);
  clip = createVRMAnimationClip(animation, vrm);
  report.rotations = animation.humanoidTracks.rotation.size;
  report.faces = [...animation.expressionTracks.preset.keys(), ...animation.expressionTracks.custom.keys()];
  report.gaze = animation.lookAtTrack !== null;
}
if (clip) {
  const action = mixer.clipAction(clip);
  action.setLoop(THREE.LoopOnce);
  action.clampWhenFinished = true;
  action.play();
  report.duration = clip.duration;
  report.bones = times.map((time) => {
    mixer.setTime(Number(time));
    // Spring bones and constraints are left alone: only the humanoid is compared. A clip of its own turns raw bones.
    if (motionPath !== "own") vrm.humanoid.update();
    return places();
  });
} else {
  report.bones = [places()];
}
report.warnings = complaints;
console.log(JSON.stringify(report));
