/**
 * The rank of a replica for a post, from 0, by rendezvous hashing: every replica computes the same order, and the posts
 * of a lost replica spread over the others. A replica that is not in the list yet has the rank that it would have in it.
 */
export function rankOf(postId: string, self: string, replicas: readonly string[]): number {
  const own = weight(postId, self);
  return replicas.filter((other) => {
    const otherWeight = weight(postId, other);
    return other !== self && (otherWeight > own || (otherWeight === own && other < self));
  }).length;
}

/** All replicas in the order of their ranks. */
export function rendezvousOrder(id: string, replicas: readonly string[]): readonly string[] {
  const weights = new Map(replicas.map((replica) => [replica, weight(id, replica)]));
  const heavier = (one: string, other: string) => (weights.get(other) ?? 0) - (weights.get(one) ?? 0);
  return replicas.toSorted((one, other) => heavier(one, other) || (one < other ? -1 : 1));
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
