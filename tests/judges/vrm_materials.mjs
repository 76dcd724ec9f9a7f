// What three-vrm makes of an avatar's MToon materials. Argument: avatar.vrm. Prints JSON: {name: {shift, toony, rim, power, lift, mix}},
// colours linear. To be fed to node on its standard input, as vrm_poses.mjs is.

import { readFileSync } from "node:fs";
import * as THREE from "three";
import { GLTFLoader } from "three/examples/jsm/loaders/GLTFLoader.js";
import { VRMLoaderPlugin } from "@pixiv/three-vrm";

globalThis.self ??= globalThis;
const noPictures = (parser) => {
  parser.loadTexture = async () => new THREE.Texture();
  parser.loadTextureImage = async () => new THREE.Texture();
  return { name: "no-pictures" };
};
console.warn = () => {};
const loader = new GLTFLoader();
loader.register(noPictures);
loader.register((parser) => new VRMLoaderPlugin(parser));
const bytes = readFileSync(process.argv[2]);
const file = await loader.parseAsync(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), "");
const found = {};
file.scene.traverse((node) => {
  for (const one of [node.material ?? []].flat()) {
    if (!one.isMToonMaterial || one.isOutline) continue;
    found[one.name] = {
      shift: one.shadingShiftFactor,
      toony: one.shadingToonyFactor,
      rim: one.parametricRimColorFactor.toArray(),
      power: one.parametricRimFresnelPowerFactor,
      lift: one.parametricRimLiftFactor,
      mix: one.rimLightingMixFactor,
    };
  }
});
console.log(JSON.stringify(found));
