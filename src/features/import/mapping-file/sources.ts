import amplitude from './sources/amplitude.json' with { type: 'json' };
import cloudtrail from './sources/cloudtrail.json' with { type: 'json' };
import ga4 from './sources/ga4.json' with { type: 'json' };
import github from './sources/github.json' with { type: 'json' };
import mixpanel from './sources/mixpanel.json' with { type: 'json' };
import posthog from './sources/posthog.json' with { type: 'json' };
import rudderstack from './sources/rudderstack.json' with { type: 'json' };
import segment from './sources/segment.json' with { type: 'json' };
import shopify from './sources/shopify.json' with { type: 'json' };
import snowplow from './sources/snowplow.json' with { type: 'json' };
import stripe from './sources/stripe.json' with { type: 'json' };

/** The mapping files that ship with svc, by the name of the source; each is a MappingDocument. */
export const SOURCES: Readonly<Record<string, object>> = {
  amplitude,
  cloudtrail,
  ga4,
  github,
  mixpanel,
  posthog,
  rudderstack,
  segment,
  shopify,
  snowplow,
  stripe,
};
