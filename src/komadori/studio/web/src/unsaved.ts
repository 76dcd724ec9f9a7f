// Edits on their way to the disk: each is kept until the server says that it is safe there, and said again where a line broke before.

import type { Ask } from "./generated";

/** Questions and wishes that change nothing. */
const QUESTIONS: ReadonlySet<Ask["type"]> = new Set<Ask["type"]>(["watch", "follow", "export", "stop_export", "save", "remove"]);
/** Edits that say how something shall be, whatever it was before: they can be said again, and can wait for a line. */
const PLAIN: ReadonlySet<Ask["type"]> = new Set<Ask["type"]>(["change", "open", "wind", "preset", "cast", "controls", "sequence"]);

export const isEdit = (ask: Ask): boolean => !QUESTIONS.has(ask.type);
export const canWait = (ask: Ask): boolean => PLAIN.has(ask.type);

/** What was sent over one line and is not safe yet, and what waits for the next. */
export class Unsaved {
  private sent: { number: number; ask: Ask }[] = [];
  /** What went over lines that are closed. */
  private before: { ask: Ask; unheard: boolean }[] = [];
  private queue: Ask[] = [];
  private count = 0;
  private heard = 0;

  /** Edits that the server has not answered yet. */
  get unheard(): number {
    return this.before.length + this.sent.filter(({ number }) => number > this.heard).length;
  }

  /** Edits that wait for a line. */
  get waiting(): number {
    return this.queue.length;
  }

  /** A message goes over the line. */
  goes(ask: Ask): void {
    this.count += 1;
    if (isEdit(ask)) this.sent.push({ number: this.count, ask });
  }

  /** Keeps an edit for when there is a line again; false if it cannot wait. Of one slider only the last place counts. */
  waits(ask: Ask): boolean {
    if (!canWait(ask)) return false;
    const last = this.queue.at(-1);
    if (last?.type === "change" && ask.type === "change" && last.part === ask.part) {
      this.queue[this.queue.length - 1] = { ...ask, options: { ...last.options, ...ask.options } };
    } else this.queue.push(ask);
    return true;
  }

  answered(heard: number): void {
    this.heard = heard;
  }

  safe(heard: number): void {
    this.sent = this.sent.filter(({ number }) => number > heard);
  }

  /** A new line is open: its messages are counted again. */
  opened(): void {
    this.before.push(...this.sent.map(({ number, ask }) => ({ ask, unheard: number > this.heard })));
    this.sent = [];
    this.count = this.heard = 0;
  }

  /** The line leads to the same run of the studio as the last one, or to another: what is to be said again, and how many edits cannot be. */
  again(sameRun: boolean): { asks: Ask[]; lost: number } {
    const open = this.before.filter(({ unheard }) => unheard || !sameRun).map(({ ask }) => ask);
    const asks = [...open.filter(canWait), ...this.queue];
    const lost = open.length - open.filter(canWait).length;
    this.before = [];
    this.queue = [];
    return { asks, lost };
  }
}
