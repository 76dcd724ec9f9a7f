// A cloud of points where the puppet's keys define no pose, or where another key would help.

import * as THREE from "three";
import { at, placeAt } from "../arrays";
import { penOf } from "../dom";
import type { MapArrays } from "../generated";

/** Places that need a key less than this are omitted. */
const NEEDED = 0.25;

export function needs(sent: MapArrays, colour: THREE.Color, size: number): THREE.Points {
  const [places, need, defined] = [sent.places.data, sent.need.data, sent.defined.data];
  const shown: number[] = [];
  const colours: number[] = [];
  for (let n = 0; n < need.length; n++) {
    const worst = Math.max(at(need, n), 1 - at(defined, n));
    if (worst < NEEDED) continue;
    shown.push(...placeAt(places, n));
    colours.push(colour.r, colour.g, colour.b, Math.min(0.75, 0.6 * worst));
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(shown, 3));
  geometry.setAttribute("color", new THREE.Float32BufferAttribute(colours, 4));
  const material = new THREE.PointsMaterial({ size, vertexColors: true, transparent: true, depthWrite: false, map: disc() });
  return new THREE.Points(geometry, material);
}

let round: THREE.CanvasTexture | null = null;

/** A soft round spot: points are squares by themselves. */
function disc(): THREE.CanvasTexture {
  if (round) return round;
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 32;
  const pen = penOf(canvas);
  pen.fillStyle = "#fff";
  pen.arc(16, 16, 15, 0, 7);
  pen.fill();
  round = new THREE.CanvasTexture(canvas);
  return round;
}
