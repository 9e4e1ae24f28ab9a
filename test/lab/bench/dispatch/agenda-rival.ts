import { MongoBackend } from "@agendajs/mongo-backend";
import { Agenda, type Job } from "agenda";
import type { DuePost } from "./contender.ts";
import { receiverClient } from "./receiver-client.ts";
import { answerBench } from "./rival-process.ts";

const JOB = "post";
const TAKEN_IN_AT_ONCE = 32;

/**
 * With no limit it takes jobs in, one after the other, and begins none as long as more come due; so it has as many at
 * once as guildcal has posts.
 */
const AT_ONCE = 256;
const LIMITS = {
  maxConcurrency: AT_ONCE,
  defaultConcurrency: AT_ONCE,
  lockLimit: AT_ONCE,
  defaultLockLimit: AT_ONCE,
};

/** Agenda with its looks as near as it has them. */
answerBench(async (arena) => {
  const post = receiverClient(arena);
  const backend = new MongoBackend({ address: arena.mongoUrl, collection: `agenda_${process.pid}` });
  const agenda = new Agenda({ backend, processEvery: 1_000, ...LIMITS });
  const run = (job: Job<DuePost>) => post(job.attrs.data).catch(() => undefined);
  agenda.on("error", () => undefined);
  const work = (job: Job<DuePost>, done: () => void): void => void run(job).finally(done);
  agenda.define(JOB, work as (job: Job, done: () => void) => void, { removeOnComplete: true });
  await agenda.start();
  return async (posts) => {
    const left = [...posts];
    const worker = async () => {
      for (let due = left.pop(); due !== undefined; due = left.pop())
        await agenda.schedule(new Date(due.dueAt), JOB, due);
    };
    await Promise.all(Array.from({ length: TAKEN_IN_AT_ONCE }, worker));
  };
});
