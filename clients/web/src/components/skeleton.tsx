import './styles/skeleton.css';

interface SkeletonProps {
  /** Any CSS length; default: the width of its place. */
  width?: string;
  height?: string;
}

/** A grey block in the size of what will be there. */
export function Skeleton({ width = '100%', height = '1em' }: SkeletonProps) {
  return <span class="skeleton" data-skeleton style={{ width, height }} aria-hidden="true" />;
}

/** Lines of text that are on their way. */
export function SkeletonLines({ lines = 3 }: { lines?: number }) {
  return (
    <div class="stack-tight">
      {Array.from({ length: lines }, (_, index) => (
        <Skeleton key={index} width={index === lines - 1 ? '60%' : '100%'} />
      ))}
    </div>
  );
}
