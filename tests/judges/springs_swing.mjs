// Usage: node springs_swing.mjs FILE FPS STEPS [fresh]: moves the whole scene to and fro while three-vrm's spring bones swing.
// three-vrm measures a bone's length in every step with the child's matrix of the step before, so that lengths of inner bones
// waver; "fresh" brings that matrix up to date first, and lengths stay what they are in the file, as the specification has it.
// Prints where every spring joint (and every joint that ends a spring) is after each step, by its node's name.

import { readFileSync } from "node:fs";
import * as THREE from "three";
import { GLTFLoader } from "three/examples/jsm/loaders/GLTFLoader.js";
import { VRMLoaderPlugin, VRMSpringBoneLoaderPlugin } from "@pixiv/three-vrm";

globalThis.self ??= globalThis;
globalThis.ProgressEvent ??= class {};
console.warn = () => {};

// Pictures need a browser; bones do not need pictures.
const noPictures = (parser) => {
  parser.loadTexture = async () => new THREE.Texture();
  parser.loadTextureImage = async () => new THREE.Texture();
  return { name: "no-pictures" };
};

const [path, fps, steps, fresh] = process.argv.slice(2);
const bytes = readFileSync(path);
const text = bytes.toString("latin1");
const isAvatar = text.includes('"VRMC_vrm"') || text.includes('"VRM"');
const loader = new GLTFLoader();
loader.register(noPictures);
loader.register((parser) => (isAvatar ? new VRMLoaderPlugin(parser) : new VRMSpringBoneLoaderPlugin(parser)));
const gltf = await loader.parseAsync(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), "");
const scene = gltf.scene;
const manager = gltf.userData.vrm?.springBoneManager ?? gltf.userData.vrmSpringBoneManager;
const version = gltf.userData.vrm?.meta?.metaVersion ?? "1";

if (fresh === "fresh") {
  for (const joint of manager.joints) {
    const measured = joint._calcWorldSpaceBoneLength.bind(joint);
    joint._calcWorldSpaceBoneLength = () => {
      joint.child?.updateWorldMatrix(false, false, true);
      measured();
    };
  }
}

const joints = new Map();
for (const joint of manager.joints) {
  joints.set(joint.bone.userData.name ?? joint.bone.name, joint.bone);
  if (joint.child) joints.set(joint.child.userData.name ?? joint.child.name, joint.child);
}

const frames = [];
for (let step = 0; step <= Number(steps); step += 1) {
  const time = step / Number(fps);
  scene.position.set(0.3 * Math.sin(4 * time), 0.1 * Math.sin(7 * time), 0.2 * Math.sin(5 * time));
  scene.rotation.set(0, 0.6 * Math.sin(3 * time), 0);
  scene.updateMatrixWorld(true);
  if (step) manager.update(1 / Number(fps));
  scene.updateMatrixWorld(true);
  const places = {};
  for (const [name, bone] of joints) places[name] = bone.getWorldPosition(new THREE.Vector3()).toArray();
  frames.push(places);
}
console.log(JSON.stringify({ version, frames }));
