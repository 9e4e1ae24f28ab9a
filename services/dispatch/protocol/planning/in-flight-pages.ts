/** The pages of a feed whose guilds are being planned: a few, and each is done when those before it are. */
export interface PagesInOrder {
  /** Resolves when one more guild may be planned. */
  roomForGuild(): Promise<void>;
  guild(planned: Promise<void>): Promise<void>;
  /** Resolves when one more page may be read. */
  roomForPage(): Promise<void>;
  page(planned: Promise<unknown>, done: () => Promise<void>): void;
}

/** As many as are planned in a second or so: a guild that changes now waits behind no more. */
const MAX_GUILDS = 64;
const MAX_PAGES = 16;

export function newPagesInOrder(): PagesInOrder {
  const guilds = newPlaces(MAX_GUILDS);
  const pages = newPlaces(MAX_PAGES);
  let before: Promise<void> = Promise.resolve();

  async function inOrder(after: Promise<void>, planned: Promise<unknown>, done: () => Promise<void>): Promise<void> {
    await after;
    await planned;
    await done();
  }

  return {
    roomForGuild: guilds.room,
    guild: guilds.taken,
    roomForPage: pages.room,
    page(planned, done) {
      before = pages.taken(inOrder(before, planned, done));
    },
  };
}

interface Places {
  readonly room: () => Promise<void>;
  readonly taken: (until: Promise<void>) => Promise<void>;
}

function newPlaces(most: number): Places {
  let inUse = 0;
  const waiting: (() => void)[] = [];
  const room = async (): Promise<void> => {
    if (inUse < most) return;
    await new Promise<void>((resolve) => void waiting.push(resolve));
    return room();
  };
  return {
    room,
    async taken(until) {
      inUse += 1;
      await until;
      inUse -= 1;
      waiting.shift()?.();
    },
  };
}
