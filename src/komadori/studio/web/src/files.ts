// Files that are dropped on the page or picked: they go to the server, which says what is in them.

import { drop, shelf } from "./connection";
import type { Ask } from "./generated";
import { notice } from "./notices";
import { takeMedia } from "./shot";
import { state, tell, trouble } from "./state";

type Named = { name: string; file: File };

export async function renewShelf(): Promise<void> {
  state.shelf = (await shelf()).items;
  tell("shelf");
}

export async function take(given: Named[], ask: (message: Ask) => void): Promise<void> {
  if (!given.length || (await takeMedia(given))) return;
  document.body.classList.add("busy");
  try {
    const { items, troubles, notes, project } = await drop(given, state.part);
    for (const { en, ja } of troubles) trouble(en, "drop", ja);
    // Timesheets, recipes, puppets and traces change the scene at once; a project is opened as a whole.
    for (const note of notes) notice(note);
    if (project) ask({ type: "project", edit: "open", name: project });
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
