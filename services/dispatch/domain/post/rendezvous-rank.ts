/**
 * The place of a replica among all for one post, from 0: rendezvous hashing, so that every replica computes the same
 * order and a lost one's posts spread over the rest. A replica that doesn't know itself yet is last.
 */
export function rankOf(postId: string, self: string, replicas: readonly string[]): number {
  const own = weight(postId, self);
  const before = replicas.filter((other) => {
    const weighed = weight(postId, other);
    return other !== self && (weighed > own || (weighed === own && other < self));
  });
  return before.length;
}

/** FNV-1a with a final mix: close names must not give close weights. */
function weight(postId: string, replica: string): number {
  let hash = 0x811c9dc5;
  const text = `${replica}/${postId}`;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
