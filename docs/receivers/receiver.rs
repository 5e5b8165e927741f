// Takes webhooks of receiptd: cargo add standardwebhooks@1 http@1 tiny_http@0.12;
// RECEIPTD_SECRET=whsec_… cargo run
use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};

use http::{HeaderMap, HeaderName, HeaderValue};
use standardwebhooks::Webhook;
use tiny_http::{Request, Response, Server};

const LONGEST_BODY: u64 = 256 * 1024;

fn setting(name: &str, otherwise: &str) -> String {
    std::env::var(name).ok().filter(|value| !value.is_empty()).unwrap_or_else(|| otherwise.to_owned())
}

/// A line for each message: its body, a tab, its id. A line that was cut by a crash has no known id.
struct Inbox {
    file: File,
    known: HashSet<String>,
}

impl Inbox {
    fn open(path: &str) -> std::io::Result<Inbox> {
        let mut file = OpenOptions::new().create(true).read(true).append(true).open(path)?;
        let mut before = String::new();
        file.read_to_string(&mut before)?;
        if !before.is_empty() && !before.ends_with('\n') {
            file.write_all(b"\n")?;
        }
        let known = before.lines().filter_map(|line| line.rsplit_once('\t')).map(|(_, id)| id.to_owned()).collect();
        Ok(Inbox { file, known })
    }

    /// The message is on the disk when this returns.
    fn put(&mut self, id: &str, body: &[u8]) -> std::io::Result<()> {
        if self.known.contains(id) {
            return Ok(()); // receiptd repeats what it does not know to have arrived
        }
        self.file.write_all(&[body, b"\t", id.as_bytes(), b"\n"].concat())?;
        self.file.sync_data()?;
        self.known.insert(id.to_owned());
        Ok(())
    }
}

fn headers_of(request: &Request) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for header in request.headers() {
        let name = HeaderName::from_bytes(header.field.as_str().as_str().as_bytes());
        let value = HeaderValue::from_str(header.value.as_str());
        if let (Ok(name), Ok(value)) = (name, value) {
            headers.insert(name, value);
        }
    }
    headers
}

/// Returns the status to answer.
fn take(request: &mut Request, webhook: &Webhook, inbox: &mut Inbox) -> u16 {
    let headers = headers_of(request);
    // The bytes as they came: JSON that was parsed and written again has another signature.
    let mut body = Vec::new();
    if request.as_reader().take(LONGEST_BODY + 1).read_to_end(&mut body).is_err() {
        return 400;
    }
    if body.len() as u64 > LONGEST_BODY {
        return 413;
    }
    // Compares in constant time, and refuses what is older than five minutes.
    if let Err(error) = webhook.verify(&body, &headers) {
        eprintln!("refused: {error}");
        return 401;
    }
    let id = headers.get("webhook-id").and_then(|value| value.to_str().ok()).unwrap_or("");
    match inbox.put(id, &body) {
        Ok(()) => 204,
        Err(error) => {
            eprintln!("{error}");
            500
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let secret = std::env::var("RECEIPTD_SECRET")?;
    if secret.trim_start_matches("whsec_").is_empty() {
        return Err("RECEIPTD_SECRET is empty".into()); // the library takes what is signed with nothing
    }
    let webhook = Webhook::new(&secret)?;
    let mut inbox = Inbox::open(&setting("INBOX", "inbox.tsv"))?;
    let server = Server::http(format!("127.0.0.1:{}", setting("PORT", "8080")))?;
    if let Some(address) = server.server_addr().to_ip() {
        println!("listening on {}", address.port());
    }
    for mut request in server.incoming_requests() {
        let status = take(&mut request, &webhook, &mut inbox);
        request.respond(Response::empty(status))?;
    }
    Ok(())
}
