import { useEffect, useState } from 'preact/hooks';

/** The same breakpoint as in the styles. */
const phone = matchMedia('(max-width: 52rem)');

/** Whether the window is as narrow as a phone's. */
export function usePhone(): boolean {
  const [isPhone, setPhone] = useState(phone.matches);
  useEffect(() => {
    const update = (): void => setPhone(phone.matches);
    phone.addEventListener('change', update);
    return () => phone.removeEventListener('change', update);
  }, []);
  return isPhone;
}
