import { createServer } from "node:http";

/** The least that a server can do with a request: reads its body, parses it, and answers. */
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const body = JSON.parse(Buffer.concat(chunks).toString() || "{}") as { readonly amount: number };
    const answer = JSON.stringify({ amount: body.amount, announcements: [] });
    response.writeHead(200, {
      "content-type": "application/json; charset=utf-8",
      "content-length": Buffer.byteLength(answer),
    });
    response.end(answer);
  });
});
server.listen(Number(process.env["PORT"]), "127.0.0.1");
process.once("SIGTERM", () => process.exit(0));
