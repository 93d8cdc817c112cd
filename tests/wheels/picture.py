"""Uses OpenCV's module on arrays of numpy, and prints what came out: integers alone, which are the same on every processor. With a
folder as its argument it writes a video there and reads it back."""

import hashlib
import os
import sys

import cv2
import numpy


def said(name, array):
    print(name, *array.shape, hashlib.sha256(numpy.ascontiguousarray(array)).hexdigest()[:16])


def picture():
    y, x = numpy.mgrid[0:240, 0:320]
    ring = ((x - 160) ** 2 + (y - 120) ** 2) // 700 % 2
    board = (x // 20 + y // 20) % 2
    return numpy.dstack([x * 255 // 319, ring * 160, board * 200 + y // 6]).astype(numpy.uint8)


image = picture()
gray = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
said("gray", gray)
said("blur", cv2.GaussianBlur(gray, (5, 5), 0))
said("canny", cv2.Canny(gray, 80, 160))
said("area", cv2.resize(image, (160, 90), interpolation=cv2.INTER_AREA))
for suffix in (".png", ".jpg"):
    done, encoded = cv2.imencode(suffix, image)
    said(suffix[1:], encoded)
    said("from-" + suffix[1:], cv2.imdecode(encoded, cv2.IMREAD_COLOR))
video = os.path.join(sys.argv[1], "video.mkv")
writer = cv2.VideoWriter(video, cv2.CAP_FFMPEG, cv2.VideoWriter_fourcc(*"FFV1"), 25, (320, 240))
for shift in range(5):
    writer.write(numpy.roll(image, shift * 8, axis=1))
writer.release()
reader = cv2.VideoCapture(video, cv2.CAP_FFMPEG)
while True:
    done, frame = reader.read()
    if not done:
        break
    said("frame", frame)
try:
    cv2.GaussianBlur(gray, (4, 4), 0)
except cv2.error as error:
    print("refused", error.code)
