/**
 * The rank of a replica for a post, from 0, by rendezvous hashing: every replica computes the same order, and the posts
 * of a lost replica spread over the others. A replica that is not in the list yet has the rank that it would have in it.
 *
 * @param postId - The id of a post, or of a guild whose plans are shared in the same way.
 */
export function rankOf(postId: string, self: string, replicas: readonly string[]): number {
  return replicasBefore(postId, self, replicas).length;
}

/** The replicas with a lower rank. Parameters as of `rankOf`. */
export function replicasBefore(postId: string, self: string, replicas: readonly string[]): readonly string[] {
  const own = weight(postId, self);
  return replicas.filter((other) => {
    const otherWeight = weight(postId, other);
    return other !== self && (otherWeight > own || (otherWeight === own && other < self));
  });
}

/** FNV-1a with a final mix, because similar names must not give similar weights. */
function weight(postId: string, replica: string): number {
  let hash = 0x811c9dc5;
  const text = `${replica}/${postId}`;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
