import { Sample, Section } from './section.tsx';

const SIZES = ['xs', 'sm', 'md', 'lg', 'xl', '2xl', '3xl'];
const SPACES = [1, 2, 3, 4, 5, 6, 7, 8];
const RADII = ['radius-sm', 'radius', 'radius-lg'];

/** The scales of type and space. */
export function TypeSection() {
  return (
    <Section title="Type and space">
      {SIZES.map((size) => (
        <p key={size} class="samples-type">
          <code class="small muted">text-{size}</code>
          <span class="cut" style={{ fontSize: `var(--text-${size})` }}>
            Agents take tasks in the order of their priority
          </span>
        </p>
      ))}
      <Sample label="Monospace, numbers, muted">
        <p>
          <code>01a21448-d11b-7c39</code> · <span class="number">1,234,567</span> · <span class="muted">2 min ago</span>
        </p>
      </Sample>
      <Sample label="Space 1 to 8">
        <div class="row">
          {SPACES.map((space) => (
            <span
              key={space}
              class="samples-space"
              style={{ width: `var(--space-${space})`, height: `var(--space-${space})` }}
            />
          ))}
        </div>
      </Sample>
      <Sample label="Radii">
        <div class="row">
          {RADII.map((radius) => (
            <span key={radius} class="samples-radius" style={{ borderRadius: `var(--${radius})` }}>
              {radius}
            </span>
          ))}
        </div>
      </Sample>
    </Section>
  );
}
