// A cloud of points where the puppet's keys define no pose, or where another key would help.

import * as THREE from "three";
import type { Arrays } from "../connection";

/** Places that need a key less than this are left out. */
const NEEDED = 0.25;

export function needs(sent: Arrays["arrays"], colour: THREE.Color, size: number): THREE.Points {
  const places = sent["places"].data;
  const need = sent["need"].data;
  const defined = sent["defined"].data;
  const shown: number[] = [];
  const colours: number[] = [];
  for (let n = 0; n < need.length; n++) {
    const worst = Math.max(need[n], 1 - defined[n]);
    if (worst < NEEDED) continue;
    shown.push(places[3 * n], places[3 * n + 1], places[3 * n + 2]);
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
  const pen = canvas.getContext("2d")!;
  pen.fillStyle = "#fff";
  pen.arc(16, 16, 15, 0, 7);
  pen.fill();
  return (round = new THREE.CanvasTexture(canvas));
}
