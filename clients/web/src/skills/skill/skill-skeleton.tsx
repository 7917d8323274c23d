import { Skeleton, SkeletonLines } from '../../components/skeleton.tsx';

export function IntroductionSkeleton() {
  return (
    <div class="skill-introduction">
      <SkeletonLines lines={2} />
      <Skeleton width="16rem" />
    </div>
  );
}

export function PartsSkeleton() {
  return (
    <div class="skill-parts">
      <Skeleton height="13rem" />
      <div class="skill-side">
        <Skeleton height="10rem" />
        <Skeleton height="18rem" />
      </div>
      <Skeleton height="30rem" />
    </div>
  );
}
