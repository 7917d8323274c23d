interface Listeners {
  onVisibility: () => void;
  onOnline: () => void;
}

/** Returns a function that ends it. */
export function listenTo({ onVisibility, onOnline }: Listeners): () => void {
  document.addEventListener('visibilitychange', onVisibility);
  addEventListener('online', onOnline);
  return () => {
    document.removeEventListener('visibilitychange', onVisibility);
    removeEventListener('online', onOnline);
  };
}
