"""Makes files of each kind, and reads each with the library of its kind.

Reads JSON from standard input: `files`, others to read with the same libraries, and `texts`, each a list of paragraphs
to print as a PDF. Writes JSON: `files` with the kind, the file as base64, and what the library reads, and `printed`,
the PDFs as base64. The files are the same each time.
"""

import base64
import datetime
import html
import io
import json
import random
import sys
import zoneinfo

import docx
import icalendar
import openpyxl
import pypdf
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import BalancedColumns, PageBreak, Paragraph, SimpleDocTemplate, Table

OF_A_KIND = 15
WORDS = (
    "price harbour kettle lamp order delivery customer coastal winter month term office ticket flower bridge "
    "Straße façade naïve überall señor Ærø fine office affair shuffle"
).split()
random.seed(33)


def sentence(words):
    return " ".join(random.choice(WORDS) for _ in range(words)).capitalize() + "."


def pdf(nth):
    styles = getSampleStyleSheet()
    # In the order of the page pypdf reads across columns, so these are in the order of the file.
    has_columns = nth % 5 == 4
    story = []
    for page in range(1 + nth % 4):
        story.append(Paragraph(f"Part {page + 1}: {sentence(3)}", styles["Heading1"]))
        texts = [Paragraph(sentence(40 + nth), styles["BodyText"]) for _ in range(5)]
        story.extend(texts)
        if nth % 3 == 0:
            rows = [[f"K-{row}", sentence(2), f"{random.randint(1, 999)}.{row}0"] for row in range(12)]
            story.append(Table([["SKU", "Name", "Price"], *rows]))
        if has_columns:
            story.append(BalancedColumns([Paragraph(sentence(30), styles["BodyText"]) for _ in range(8)], nCols=2))
        story.append(PageBreak())

    def edge(canvas, template):
        if has_columns:
            return
        canvas.drawString(72, 800, "Price list of the harbour")
        canvas.drawString(280, 30, f"Page {template.page}")

    made = io.BytesIO()
    SimpleDocTemplate(made, pagesize=A4, title=f"File {nth}").build(story, onFirstPage=edge, onLaterPages=edge)
    return made.getvalue(), read_pdf(made.getvalue(), "plain" if has_columns else "layout")


def read_pdf(file, mode="layout"):
    return [page.extract_text(extraction_mode=mode) for page in pypdf.PdfReader(io.BytesIO(file)).pages]


def printed(texts):
    style = getSampleStyleSheet()["BodyText"]
    style.fontName, style.fontSize, style.leading = "Helvetica", 10, 12
    made = io.BytesIO()
    SimpleDocTemplate(made, pagesize=A4).build([Paragraph(html.escape(text), style) for text in texts])
    return made.getvalue()


FORMATS = ["General", "0.00", "#,##0.00", "0%", "yyyy-mm-dd", "@"]


def cell(nth, row, column):
    kind = (nth + row * 3 + column) % 7
    if kind == 0:
        return None
    if kind == 1:
        return random.randint(-(10**9), 10**9)
    if kind == 2:
        return round(random.uniform(-1000, 1000), 6)
    if kind == 3:
        return datetime.datetime(2026, 1 + row % 12, 1 + column % 28, nth % 24, row % 60)
    if kind == 4:
        return datetime.date(1990 + nth, 1 + row % 12, 1 + column % 28)
    if kind == 5:
        return row % 2 == 0
    return sentence(1 + column)


def plain(value):
    if isinstance(value, datetime.datetime):
        return value.strftime("%Y-%m-%d" if value.time() == datetime.time() else "%Y-%m-%dT%H:%M:%S")
    return value


def xlsx(nth):
    book = openpyxl.Workbook()
    book.active.title = "First"
    for name in ["First", f"Sheet & {nth}", "Third"][: 1 + nth % 3]:
        sheet = book[name] if name in book.sheetnames else book.create_sheet(name)
        for row in range(1, 20 + nth):
            for column in range(1, 8):
                value = cell(nth, row, column)
                if value is not None:
                    at = sheet.cell(row=row, column=column, value=value)
                    if isinstance(value, float):
                        at.number_format = FORMATS[(row + column) % 4]
    made = io.BytesIO()
    book.save(made)
    read = openpyxl.load_workbook(io.BytesIO(made.getvalue()), data_only=True)
    theirs = [
        {"name": sheet.title, "rows": [[plain(value) for value in row] for row in sheet.iter_rows(values_only=True)]}
        for sheet in read.worksheets
    ]
    return made.getvalue(), theirs


def word(nth):
    document = docx.Document()
    document.add_heading(sentence(4), 0)
    for part in range(3 + nth % 4):
        document.add_heading(sentence(3), 1 + part % 3)
        document.add_paragraph(sentence(40))
        run = document.add_paragraph("Bold & <plain>: ").add_run(sentence(5))
        run.bold = True
        for item in range(nth % 5):
            document.add_paragraph(sentence(3), style="List Bullet" if part % 2 else "List Number")
        table = document.add_table(rows=2 + nth % 3, cols=3)
        for row in table.rows:
            for at in row.cells:
                at.text = sentence(2)
    made = io.BytesIO()
    document.save(made)
    return made.getvalue(), read_word(made.getvalue())


def read_word(file):
    theirs = []
    for block in docx.Document(io.BytesIO(file)).iter_inner_content():
        if hasattr(block, "rows"):
            theirs.extend(at.text for row in block.rows for at in row.cells)
        elif block.text.strip() != "":
            theirs.append(block.text.strip())
    return theirs


ZONES = ["Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "UTC"]


def utc(value):
    if isinstance(value, datetime.datetime):
        return value.astimezone(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return value.isoformat()


def calendar(nth):
    made = icalendar.Calendar()
    made.add("prodid", "-//files//EN")
    made.add("version", "2.0")
    for number in range(3 + nth):
        event = icalendar.Event()
        event.add("uid", f"{nth}-{number}@example.com")
        event.add("summary", sentence(12))
        event.add("location", f"{sentence(1)[:-1]}, hall; {number}")
        if number % 4 == 3:
            event.add("dtstart", datetime.date(2026, 1 + number % 12, 1 + nth))
        else:
            zone = zoneinfo.ZoneInfo(ZONES[(nth + number) % len(ZONES)])
            start = datetime.datetime(2026, 1 + number % 12, 1 + nth, 9, 30, tzinfo=zone)
            event.add("dtstart", start)
            event.add("dtend", start + datetime.timedelta(minutes=90))
        if number % 3 == 0:
            event.add("rrule", {"freq": "weekly", "count": 3 + number})
        made.add_component(event)
    if nth % 2 == 0:
        made.add_missing_timezones()
    return made.to_ical(), read_calendar(made.to_ical())


def read_calendar(file):
    return [
        {
            "uid": str(event["uid"]),
            "summary": str(event["summary"]),
            "location": str(event["location"]),
            "start": utc(event.decoded("dtstart")),
            "end": utc(event.decoded("dtend")) if "dtend" in event else None,
            "repeat": event["rrule"].to_ical().decode() if "rrule" in event else None,
        }
        for event in icalendar.Calendar.from_ical(file).walk("VEVENT")
    ]


READERS = {"pdf": read_pdf, "docx": read_word, "ics": read_calendar}

given = json.load(sys.stdin)
made = []
for kind, make in {"pdf": pdf, "xlsx": xlsx, "docx": word, "ics": calendar}.items():
    for nth in range(OF_A_KIND):
        file, theirs = make(nth)
        made.append({"kind": kind, "file": base64.b64encode(file).decode(), "theirs": theirs})
for other in given["files"]:
    made.append({**other, "theirs": READERS[other["kind"]](base64.b64decode(other["file"]))})
prints = [base64.b64encode(printed(texts)).decode() for texts in given["texts"]]
json.dump({"files": made, "printed": prints}, sys.stdout)
