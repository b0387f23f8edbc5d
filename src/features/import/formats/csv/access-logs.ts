/** The combined log format of web servers. */
const COMBINED = 'ip ident user time zone request status bytes referer agent'.split(' ');
/** The same as some programs write it, whose times lack a zone. */
const ZONELESS = COMBINED.filter((name) => name !== 'zone');
/** Amazon S3 server access logs: docs.aws.amazon.com/AmazonS3/latest/userguide/LogFormat.html */
const S3 = (
  'bucket_owner bucket time zone remote_ip requester request_id operation key request_uri http_status error_code ' +
  'bytes_sent object_size total_time turn_around_time referer user_agent version_id host_id signature_version ' +
  'cipher_suite authentication_type host_header tls_version access_point_arn acl_required'
).split(' ');
/** Application Load Balancers: docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-access-logs.html */
const ALB = (
  'type time elb client:port target:port request_processing_time target_processing_time response_processing_time ' +
  'elb_status_code target_status_code received_bytes sent_bytes request user_agent ssl_cipher ssl_protocol ' +
  'target_group_arn trace_id domain_name chosen_cert_arn matched_rule_priority request_creation_time actions_executed ' +
  'redirect_url error_reason target:port_list target_status_code_list classification classification_reason conn_trace_id'
).split(' ');
/** Classic Load Balancers: docs.aws.amazon.com/elasticloadbalancing/latest/classic/access-log-collection.html */
const ELB = (
  'time elb client:port backend:port request_processing_time backend_processing_time response_processing_time ' +
  'elb_status_code backend_status_code received_bytes sent_bytes request user_agent ssl_cipher ssl_protocol'
).split(' ');

const LOGS = [COMBINED, ['host', ...COMBINED], ZONELESS, S3, ALB, ELB];
const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const BRACKET = /^\[\d\d\/[A-Z][a-z]{2}\/\d{4}:/;
const ZONELESS_BRACKET = /^\[\d\d\/[A-Z][a-z]{2}\/\d{4}:[\d:]+\]$/;
/** Fewest columns of a log: later versions of a format have more. */
const MIN_COLUMNS = 9;

/** The published names of the columns of an access log, by its first row; undefined for another table. */
function publishedNames(first: readonly string[]): readonly string[] | undefined {
  const at = first.findIndex((cell, i) => BRACKET.test(cell) && first[i + 1]?.endsWith(']'));
  if (at === 2 && /^[\da-f]{64}$/.test(first[0]!) && first.length >= MIN_COLUMNS) return S3;
  if (at === 3) return COMBINED;
  if (at < 0 && first.length >= MIN_COLUMNS && ZONELESS_BRACKET.test(first[3]!)) return ZONELESS;
  if (at === 4) return LOGS[1];
  const isBalancer = (start: number) =>
    first.length >= start + 12 && ISO_TIME.test(first[start]!) && /:\d+$/.test(first[start + 2]!);
  if (isBalancer(1) && /^(https?|h2|grpcs?|wss?)$/.test(first[0]!)) return ALB;
  return isBalancer(0) ? ELB : undefined;
}

/** Names for the columns of a table without a header, of which `first` is the first row. */
export function columnNames(first: readonly string[]): string[] {
  const names = first.map((_, index) => `column${index + 1}`);
  const published = publishedNames(first);
  if (published) return names.map((name, i) => published[i] ?? name);
  const at = first.findIndex((cell, i) => BRACKET.test(cell) && first[i + 1]?.endsWith(']'));
  if (at >= 0) names.splice(at, 2, 'time', 'zone');
  return names;
}

/** Returns whether columns have the names of an access log, in which a dash is an empty value. */
export function isAccessLog(header: readonly string[]): boolean {
  return (
    header.length >= MIN_COLUMNS &&
    LOGS.some((names) => header.every((name, i) => name === (names[i] ?? `column${i + 1}`)))
  );
}
