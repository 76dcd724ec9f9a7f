// The reference: a film or stills under the stage, in step with the frames, to time and to trace against.

import { mediaAddress } from "../connection";
import type { Reference } from "../generated";
import { on, shotOf, shownView, state, trouble } from "../state";
import { t } from "../words";
import type { Stage } from "./stage";

/** A playing film is set right when it is so far off, in seconds. */
const OFF_S = 0.12;

/** The second of the reference that a frame shows. */
export function secondOf({ offset_s, rate }: Pick<Reference, "offset_s" | "rate">, frame: number, fps: number): number {
  return offset_s + (rate * frame) / fps;
}

/** Which of `count` stills a frame shows: they follow one another frame by frame, `rate` times as fast. */
export function stillOf(reference: Pick<Reference, "offset_s" | "rate">, frame: number, fps: number, count: number): number {
  return Math.max(0, Math.min(count - 1, Math.floor(secondOf(reference, frame, fps) * fps + 1e-6)));
}

export class Underlay {
  private readonly film = document.createElement("video");
  private readonly picture = document.createElement("img");
  private shown = "";
  private stills: string[] = [];

  constructor(private readonly stage: Stage) {
    this.film.muted = true;
    this.film.playsInline = true;
    this.film.preload = "auto";
    this.picture.alt = "";
    for (const element of [this.film, this.picture]) {
      element.className = "underlay";
      element.hidden = true;
      element.setAttribute("aria-hidden", "true");
      element.addEventListener("error", () => {
        if (element.getAttribute("src")) trouble(t("This browser cannot show the reference"), "reference");
      });
      stage.element.prepend(element);
    }
    on(["scene", "shelf", "part", "view", "body"], () => this.renew());
    on(["frame", "playing"], () => this.follow());
    stage.underlay = (pen, width, height) => this.draw(pen, width, height);
    stage.waitsFor(() => this.arrived());
    new ResizeObserver(() => this.place()).observe(stage.element);
  }

  private get element(): HTMLVideoElement | HTMLImageElement | null {
    if (!this.shown) return null;
    return this.stills.length ? this.picture : this.film;
  }

  private renew(): void {
    const { reference } = shotOf();
    const item = state.shelf.find(({ key }) => key === reference?.key);
    const key = reference && item ? reference.key : "";
    if (key !== this.shown) {
      this.shown = key;
      this.stills = item?.media === "stills" ? item.stills : [];
      this.film.pause();
      this.film.removeAttribute("src");
      this.picture.removeAttribute("src");
      if (key && !this.stills.length) this.film.src = mediaAddress(key);
    }
    this.film.hidden = this.element !== this.film;
    this.picture.hidden = this.element !== this.picture;
    this.place();
    this.follow();
  }

  /** In the picture of the result: its half of the stage if there are two. */
  private place(): void {
    const { reference } = shotOf();
    const { element } = this;
    if (!reference || !element) return;
    const half = shownView() === "side";
    const { clientWidth, clientHeight } = this.stage.element;
    const width = half ? clientWidth / 2 : clientWidth;
    element.style.width = `${width * reference.scale}px`;
    element.style.height = `${clientHeight * reference.scale}px`;
    element.style.left = `${(half ? width : 0) + width * (0.5 + reference.x - reference.scale / 2)}px`;
    element.style.top = `${clientHeight * (0.5 + reference.y - reference.scale / 2)}px`;
    element.style.opacity = String(reference.opacity);
  }

  private follow(): void {
    const { reference } = shotOf();
    if (!reference || !this.shown) return;
    const fps = state.body?.fps ?? 24;
    if (this.stills.length) {
      const address = mediaAddress(this.stills[stillOf(reference, state.frame, fps, this.stills.length)] ?? "");
      if (this.picture.getAttribute("src") !== address) this.picture.src = address;
      return;
    }
    const wanted = Math.max(0, secondOf(reference, state.frame, fps));
    const forward = state.playing && !state.bounce;
    if (forward) {
      this.film.playbackRate = Math.max(0.0625, Math.min(16, reference.rate * state.speed));
      if (this.film.paused) void this.film.play().catch(() => undefined);
      if (Math.abs(this.film.currentTime - wanted) > OFF_S * Math.max(1, state.speed)) this.film.currentTime = wanted;
      return;
    }
    this.film.pause();
    // In the middle of the frame: at its edge a browser may show either neighbour.
    const middle = wanted + 0.5 / fps;
    if (Math.abs(this.film.currentTime - middle) > 1e-3) this.film.currentTime = middle;
  }

  /** The film has come to the frame: a film of the stage waits for it. */
  private async arrived(): Promise<void> {
    const { element } = this;
    if (element === this.film && this.film.seeking) await new Promise((done) => this.film.addEventListener("seeked", done, { once: true }));
    if (element === this.picture) await this.picture.decode().catch(() => undefined);
  }

  private draw(pen: CanvasRenderingContext2D, width: number, height: number): void {
    const { element } = this;
    const { reference } = shotOf();
    const natural =
      element === this.film ? [this.film.videoWidth, this.film.videoHeight] : [this.picture.naturalWidth, this.picture.naturalHeight];
    const [wide = 0, high = 0] = natural;
    if (!element || !reference || !wide || !high) return;
    const box = element.getBoundingClientRect();
    const stage = this.stage.element.getBoundingClientRect();
    const ratio = width / stage.width;
    const fit = Math.min(box.width / wide, box.height / high) * ratio;
    const [x, y] = [(box.left - stage.left + box.width / 2) * ratio, (box.top - stage.top + box.height / 2) * (height / stage.height)];
    pen.globalAlpha = reference.opacity;
    pen.drawImage(element, x - (wide * fit) / 2, y - (high * fit) / 2, wide * fit, high * fit);
    pen.globalAlpha = 1;
  }
}
