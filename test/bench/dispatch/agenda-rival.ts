import { MongoBackend } from "@agendajs/mongo-backend";
import { Agenda, type Job } from "agenda";
import type { DuePost } from "./contender.ts";
import { receiverClient } from "./receiver-client.ts";
import { answerBench } from "./rival-process.ts";

const JOB = "post";
const TAKEN_IN_AT_ONCE = 32;

/** Agenda with its looks as near as it has them, and no limit to what it does at once. */
answerBench(async (arena) => {
  const post = receiverClient(arena);
  const backend = new MongoBackend({ address: arena.mongoUrl, collection: `agenda_${process.pid}` });
  const agenda = new Agenda({ backend, processEvery: 1_000, maxConcurrency: 100_000, defaultConcurrency: 100_000 });
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
