// Files that are dropped on the page or picked: they go to the server, which says what is in them.

import { drop, shelf } from "./connection";
import type { Ask } from "./generated";
import { state, tell, trouble } from "./state";

type Named = { name: string; file: File };

export async function renewShelf(): Promise<void> {
  state.shelf = (await shelf()).items;
  tell("shelf");
}

export async function take(given: Named[], ask: (message: Ask) => void): Promise<void> {
  // A trace of a strand belongs to the hair on the stage, not to the shelf.
  for (const { name, file } of given.filter(isTrace)) ask({ type: "trace", name, text: await file.text() });
  const files = given.filter((file) => !isTrace(file));
  if (!files.length) return;
  const [first] = files;
  if (files.length === 1 && first?.name.toLowerCase().endsWith(".json")) {
    ask({ type: "load-puppet", name: first.name, text: await first.file.text() });
    return;
  }
  document.body.classList.add("busy");
  try {
    const { items, troubles } = await drop(files);
    for (const { en, ja } of troubles) trouble(en, "drop", ja);
    const character = items.find((item) => item.character);
    const motion = items.find((item) => item.motions.length);
    if (character || motion) {
      ask({ type: "open", motion: motion ? motion.motions[0] : null, character: character ? character.key : null });
    }
    // Behind the asking: a long list must not keep the first picture waiting.
    await renewShelf();
  } catch (error) {
    trouble((error as Error).message, "drop");
  } finally {
    document.body.classList.remove("busy");
  }
}

function isTrace({ name }: Named): boolean {
  return name.toLowerCase().endsWith(".csv");
}

/** What was chosen in a file picker. */
export async function picked(picker: HTMLInputElement, ask: (message: Ask) => void): Promise<void> {
  await take(
    [...(picker.files ?? [])].map((file) => ({ name: file.webkitRelativePath || file.name, file })),
    ask,
  );
}

export function listenForDrops(ask: (message: Ask) => void): void {
  addEventListener("dragover", (event) => {
    event.preventDefault();
    document.body.classList.add("dropping");
  });
  addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) document.body.classList.remove("dropping");
  });
  addEventListener("drop", (event) => {
    event.preventDefault();
    document.body.classList.remove("dropping");
    // All at once: what was dropped is gone when this event is over. What is no entry of a file system may be a file still.
    const dropped = [...(event.dataTransfer?.items ?? [])].map((item) => item.webkitGetAsEntry() ?? item.getAsFile());
    void gathered(dropped).then(
      (files) => take(files, ask),
      (error: Error) => trouble(error.message, "drop"),
    );
  });
}

/** All files of what was dropped, folders included, by their paths. */
async function gathered(dropped: (FileSystemEntry | File | null)[]): Promise<Named[]> {
  const found: Named[] = [];
  const visit = async (entry: FileSystemEntry): Promise<void> => {
    if (entry.isFile) {
      const file = await new Promise<File>((done, fail) => (entry as FileSystemFileEntry).file(done, fail));
      found.push({ name: entry.fullPath.replace(/^\//, ""), file });
    } else if (entry.isDirectory) {
      const reader = (entry as FileSystemDirectoryEntry).createReader();
      for (;;) {
        // A folder is read in pieces; an empty piece is its end.
        const some = await new Promise<FileSystemEntry[]>((done, fail) => reader.readEntries(done, fail));
        if (!some.length) break;
        for (const inner of some) await visit(inner);
      }
    }
  };
  for (const one of dropped) {
    if (one instanceof File) found.push({ name: one.name, file: one });
    else if (one) await visit(one);
  }
  return found;
}
