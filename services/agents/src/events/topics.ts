/** Listeners by topic. */
export function createTopics<Listener>() {
  const byTopic = new Map<string, Set<Listener>>();
  return {
    /** Adds a listener. Returns a function that removes it. */
    on(topic: string, listener: Listener): () => void {
      const set = byTopic.get(topic) ?? new Set();
      byTopic.set(topic, set.add(listener));
      return () => {
        set.delete(listener);
        if (set.size === 0 && byTopic.get(topic) === set) byTopic.delete(topic);
      };
    },
    of: (topic: string): Iterable<Listener> => byTopic.get(topic) ?? [],
    /** A copy, so that listeners may be added and removed meanwhile. */
    all: (): Listener[] => [...byTopic.values()].flatMap((set) => [...set]),
    isEmpty: () => byTopic.size === 0,
  };
}
